// Where there is an empty row between items.

import type { StreamItem } from "../stream/item.ts";

type Kind = StreamItem["kind"];

/** What was printed belongs to the command above it. */
export function gapBefore(kind: Kind, last: Kind | undefined): boolean {
  if (last === undefined) return false;
  if (kind === "output" || kind === "picture") return last !== "prompt" && last !== "output";
  return !(kind === "note" && last === "note");
}
