// Vim's text objects: words, quoted and bracketed text, paragraphs.

import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import { bracketFrom, graphemeAt, wordClass } from "./motions.ts";

export interface VimRange {
  readonly from: TextPoint;
  /** Not part of it. */
  readonly to: TextPoint;
  readonly linewise: boolean;
}

const BRACKETS: Readonly<Record<string, string>> = {
  "(": "()",
  ")": "()",
  b: "()",
  "[": "[]",
  "]": "[]",
  "{": "{}",
  "}": "{}",
  B: "{}",
  "<": "<>",
  ">": "<>",
};

/** Undefined if the cursor is in no such object. */
export function vimObject(buffer: TextBuffer, name: string, around: boolean): VimRange | undefined {
  if (name === "w" || name === "W") return word(buffer, around, name === "W");
  if (name === "p") return paragraph(buffer, around);
  const brackets = BRACKETS[name];
  return brackets === undefined ? quoted(buffer, name, around) : bracketed(buffer, brackets, around);
}

function word(buffer: TextBuffer, around: boolean, big: boolean): VimRange {
  const { line } = buffer.cursor;
  const kindAt = (offset: number): number => wordClass(graphemeAt(buffer, { line, offset }), big);
  const { length } = buffer.lineText(line);
  let start = buffer.cursor.offset;
  const kind = kindAt(start);
  while (start > 0 && kindAt(left(start)) === kind) start = left(start);
  let end = run(buffer.cursor.offset, kind);
  if (around) {
    // The space behind it, or else the space before it.
    const trailing = kind === 0 ? run(end, kindAt(end)) : run(end, 0);
    if (trailing > end) end = trailing;
    else while (start > 0 && kindAt(left(start)) === 0) start = left(start);
  }
  return { from: { line, offset: start }, to: { line, offset: end }, linewise: false };

  function left(offset: number): number {
    return buffer.leftOf({ line, offset }).offset;
  }

  function run(from: number, of: number): number {
    let at = from;
    while (at < length && kindAt(at) === of) at = buffer.rightOf({ line, offset: at }).offset;
    return at;
  }
}

function quoted(buffer: TextBuffer, quote: string, around: boolean): VimRange | undefined {
  const { line, offset } = buffer.cursor;
  const text = buffer.lineText(line);
  const places: number[] = [];
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (text[at - 1] !== "\\") places.push(at);
  }
  for (let index = 0; index + 1 < places.length; index += 2) {
    const [open = 0, close = 0] = [places[index], places[index + 1]];
    if (offset > close) continue;
    if (!around) return { from: { line, offset: open + 1 }, to: { line, offset: close }, linewise: false };
    const spaces = /^\s*/.exec(text.slice(close + 1))?.[0].length ?? 0;
    return { from: { line, offset: open }, to: { line, offset: close + 1 + spaces }, linewise: false };
  }
  return undefined;
}

function bracketed(buffer: TextBuffer, brackets: string, around: boolean): VimRange | undefined {
  const [open = "", close = ""] = brackets;
  const { cursor } = buffer;
  const here = buffer.lineText(cursor.line)[cursor.offset];
  const from = here === open ? cursor : bracketFrom(buffer, cursor, -1, close, open);
  if (!from) return undefined;
  const to = bracketFrom(buffer, from, 1, open, close);
  if (!to) return undefined;
  if (around) return { from, to: { line: to.line, offset: to.offset + 1 }, linewise: false };
  return { from: { line: from.line, offset: from.offset + 1 }, to, linewise: false };
}

function paragraph(buffer: TextBuffer, around: boolean): VimRange {
  const isBlank = (line: number): boolean => buffer.lineText(line).trim() === "";
  const last = buffer.lines.length - 1;
  const kind = isBlank(buffer.cursor.line);
  let first = buffer.cursor.line;
  let end = first;
  while (first > 0 && isBlank(first - 1) === kind) first -= 1;
  while (end < last && isBlank(end + 1) === kind) end += 1;
  if (around) while (end < last && isBlank(end + 1) !== kind) end += 1;
  return { from: { line: first, offset: 0 }, to: { line: end, offset: buffer.lineText(end).length }, linewise: true };
}
