// Long texts as their first rows and how much more there is.

import { clean, cleanRow } from "../screen/clean.ts";
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

/** How many rows of the start and of the end are shown of what is folded in the middle. */
export interface FoldEnds {
  readonly head: number;
  readonly tail: number;
}

/** The first and the last rows of what a command printed, and between them a row with the number of the other lines. */
export function foldedEnds(text: string, columns: number, look: ItemLook, { head, tail }: FoldEnds): string[] {
  const trimmed = withoutStyles(text)
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
  if (trimmed === "") return [];
  if (look.whole) return lineRows(clean(trimmed), columns);
  // One row more than is shown takes no more room than saying that it is missing.
  const most = Math.max(FOLDED_ROWS, head + tail) + 1;
  const first = edgeRows(trimmed, columns, most + 1, "start");
  if (first.rows.length <= most && first.isAll) return first.rows;
  const start = edgeRows(trimmed, columns, head, "start");
  const end = edgeRows(trimmed, columns, tail, "end");
  const hidden = Math.max(1, newlinesIn(trimmed) + 1 - start.lines - end.lines);
  return [...start.rows, moreRow(hidden, columns, look), ...end.rows];
}

/** The newest lines of what a command prints, one row each. */
export function newestRows(text: string, columns: number, most: number): string[] {
  const lines = withoutStyles(text).trimEnd().split("\n").slice(-most);
  return lines.map((line) => fit(cleanRow(line), columns)).filter((row, at) => row !== "" || at > 0);
}

/** The first or the last rows of a text, how many lines are completely among them, and whether nothing else is there. */
function edgeRows(text: string, columns: number, most: number, edge: "start" | "end") {
  const rows: string[] = [];
  let lines = 0;
  let at = edge === "start" ? 0 : text.length;
  const isLeft = () => (edge === "start" ? at <= text.length : at >= 0);
  while (isLeft() && rows.length < most) {
    const from = edge === "start" ? at : text.lastIndexOf("\n", at - 1) + 1;
    const newline = text.indexOf("\n", at);
    const to = edge === "end" ? at : newline === -1 ? text.length : newline;
    // No more of a line is looked at than can be seen of it.
    const room = (most + 2) * Math.max(1, columns);
    const isLong = to - from > room;
    const line = !isLong
      ? text.slice(from, to)
      : edge === "start"
        ? text.slice(from, from + room)
        : text.slice(to - room, to);
    const more = lineRows(clean(line), columns);
    const left = most - rows.length;
    if (edge === "start") rows.push(...more.slice(0, left));
    else rows.unshift(...more.slice(-left));
    if (more.length <= left && !isLong) lines += 1;
    at = edge === "start" ? to + 1 : from === 0 ? -1 : from - 1;
  }
  return { rows, lines, isAll: !isLeft() };
}

/** As a terminal would leave it: without colors, and each line as it was last written. */
function withoutStyles(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = text.includes("\u001b") ? text.replace(/\u001b\[[\d;:]*[mK]/g, "") : text;
  return plain.includes("\r") ? plain.split("\n").map(lastWritten).join("\n") : plain;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
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
