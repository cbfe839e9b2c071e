// Long texts as their first rows and how much more there is.

import { clean } from "../screen/clean.ts";
import { fit, width, wrap } from "../screen/rows.ts";
import { withKey, type ItemLook } from "./look.ts";

const FOLDED_ROWS = 3;

/** The text without empty lines around it, cleaned, at most `most` rows of it, then a row with the number of the others. */
export function folded(text: string, columns: number, look: ItemLook, most = FOLDED_ROWS): string[] {
  const trimmed = text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  if (trimmed === "") return [];
  if (look.whole) return lineRows(clean(trimmed), columns);
  const rows: string[] = [];
  let at = 0;
  // One row more than fits takes no more room than saying that it is missing.
  while (at <= trimmed.length && rows.length <= most + 1) {
    const end = trimmed.indexOf("\n", at);
    const line = trimmed.slice(at, end === -1 ? trimmed.length : end);
    const cut = line.slice(0, (most + 2) * Math.max(1, columns));
    rows.push(...lineRows(clean(cut), columns));
    at = end === -1 ? trimmed.length + 1 : end + 1;
  }
  if (rows.length <= most + 1 && at > trimmed.length) return rows;
  const shown = rows.slice(0, most);
  return [...shown, moreRow(hiddenLines(trimmed, columns, most), columns, look)];
}

/** A failed call: its message, without the names of types in front. */
export function errorRows(text: string, columns: number, look: ItemLook): string[] {
  const plain = text.replace(/^(?:Error: |InputValidationError: )+/, "").trim();
  return folded(plain === "" ? "Failed" : plain, columns, look).map((row) => look.theme.paint("error", row));
}

/** `… 12 more lines (ctrl+o to see all)`. */
export function moreRow(lines: number, columns: number, look: ItemLook, noun = "line"): string {
  const text = `… ${lines} more ${lines === 1 ? noun : `${noun}s`}`;
  const key = withKey(look, "app:toggleTranscript", (name) => ` (${name} to see all)`);
  return look.theme.paint("dim", fit(width(text + key) > columns ? text : text + key, columns));
}

export const lineRows = (text: string, columns: number): string[] =>
  text.split("\n").flatMap((line) => wrap(line.replaceAll("\t", "  "), columns));

/** How many lines are not shown completely. */
function hiddenLines(text: string, columns: number, most: number): number {
  let left = most;
  let hidden = 0;
  let at = 0;
  while (at <= text.length) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    if (left > 0) {
      const rows = lineRows(clean(text.slice(at, Math.min(stop, at + (most + 2) * columns))), columns).length;
      if (rows > left) hidden += 1;
      left -= rows;
    } else hidden += 1;
    at = stop + 1;
  }
  return hidden;
}
