// How the list under the prompt looks: up to ten rows, the marked one among them, and how many there are.

import type { Frame } from "../screen/view.ts";
import { fit, graphemes, width } from "../screen/rows.ts";
import { cleanRow } from "../screen/clean.ts";
import type { CompletionRow } from "./completion.ts";

const MOST_ROWS = 10;
/** With fewer rows than this, all of them are for entries. */
const ROWS_TO_COUNT = 4;

export function menuRows(entries: readonly CompletionRow[], marked: number, frame: Frame): string[] {
  const isCut = entries.length > Math.min(MOST_ROWS, frame.rows);
  const counts = isCut && frame.rows >= ROWS_TO_COUNT;
  const count = Math.max(0, Math.min(MOST_ROWS, entries.length, frame.rows - (counts ? 1 : 0)));
  const top = Math.max(0, Math.min(marked - Math.floor(count / 2), entries.length - count));
  const shown = entries.slice(top, top + count).map((entry) => ({
    label: cleanRow(entry.label),
    description: cleanRow(entry.description),
  }));
  const hasText = shown.some(({ description }) => description !== "");
  const widest = Math.max(0, ...shown.map(({ label }) => width(label)));
  const column = hasText ? Math.min(widest, Math.max(12, Math.floor(frame.columns * 0.4))) : frame.columns - 2;
  const rows = shown.map(({ label, description }, at) => {
    // The end of a path or an address tells it from the others.
    const most = description === "" ? frame.columns - 2 : column;
    const name = label.startsWith("/") ? fit(label, most) : fitEnd(label, most);
    const room = frame.columns - 4 - column;
    const text = room > 8 && description !== "" ? `  ${fit(description, room)}` : "";
    const padded = text === "" ? name : name + " ".repeat(Math.max(0, column - width(name)));
    const isMarked = top + at === marked;
    const sign = isMarked ? (frame.theme.ascii ? "> " : "❯ ") : "  ";
    return isMarked
      ? frame.theme.paint("suggestion", sign + padded + text)
      : `${sign}${padded}${frame.theme.paint("dim", text)}`;
  });
  return counts ? [...rows, frame.theme.paint("dim", `  ${marked + 1} of ${entries.length}`)] : rows;
}

function fitEnd(text: string, columns: number): string {
  let left = width(text);
  if (left <= columns) return text;
  let from = 0;
  for (const [grapheme, cells] of graphemes(text)) {
    if (left <= columns - 1) break;
    from += grapheme.length;
    left -= cells;
  }
  return `…${text.slice(from)}`;
}
