// Which lines an edit changed, in words for the model, with the numbers they have after it. Pure.

import type { PatchHunk } from "@keelson/protocol";

const MOST_PLACES = 10;

/** `now lines 6–8, 20. The file is 2 lines longer.` Empty if the hunks are not known. */
export function editedLines(hunks: readonly PatchHunk[]): string {
  const places = hunks.flatMap(placesIn);
  if (places.length === 0) return "";
  const added = places.filter((place) => place.added > 0);
  const removed = places.filter((place) => place.added === 0);
  const parts = [
    ...(added.length === 0 ? [] : [`now ${lineList(added.map(({ line, added: count }) => [line, line + count - 1]))}`]),
    ...(removed.length === 0 ? [] : [`removed ${removedList(removed)}`]),
  ];
  const growth = places.reduce((sum, place) => sum + place.added - place.removed, 0);
  const size =
    growth === 0 || added.length === 0
      ? ""
      : ` The file is ${counted(Math.abs(growth))} ${growth > 0 ? "longer" : "shorter"}.`;
  return `${parts.join("; ")}.${size}`;
}

/** `line 4`, or `lines 4, 6–8 and 3 more places`. */
export function lineList(ranges: readonly (readonly [first: number, last: number])[]): string {
  const shown = ranges.slice(0, MOST_PLACES).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const more = ranges.length - shown.length;
  const isOne = ranges.length === 1 && ranges[0]![0] === ranges[0]![1];
  return `${isOne ? "line" : "lines"} ${shown.join(", ")}${more > 0 ? ` and ${more} more places` : ""}`;
}

interface Place {
  /** The first of the new lines, or the one that follows what was removed. */
  readonly line: number;
  readonly removed: number;
  readonly added: number;
}

function placesIn({ newStart, lines }: PatchHunk): Place[] {
  const places: { line: number; removed: number; added: number }[] = [];
  let line = newStart;
  let open: (typeof places)[number] | undefined;
  for (const each of lines) {
    const sign = each[0];
    if (sign === "\\") continue;
    if (sign === "+" || sign === "-") {
      if (!open) places.push((open = { line, removed: 0, added: 0 }));
      if (sign === "-") open.removed++;
      else {
        open.added++;
        line++;
      }
    } else {
      open = undefined;
      line++;
    }
  }
  return places;
}

function removedList(places: readonly Place[]): string {
  const shown = places.slice(0, MOST_PLACES).map(({ line, removed }) => {
    return `${counted(removed)} ${line === 1 ? "at the start" : `after line ${line - 1}`}`;
  });
  const more = places.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more places` : "");
}

const counted = (lines: number) => (lines === 1 ? "1 line" : `${lines} lines`);
