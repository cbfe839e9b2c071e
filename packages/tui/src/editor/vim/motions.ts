// Where vim's motions go.

import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import { isBefore } from "../text-buffer.ts";

/** What the last `f`, `F`, `t` or `T` looked for. */
export interface VimFind {
  readonly name: string;
  readonly character: string;
}

export interface VimMotion {
  readonly to: TextPoint;
  /** The character at the end belongs to it. */
  readonly inclusive: boolean;
  /** It takes whole lines. */
  readonly linewise: boolean;
}

/** Undefined if it cannot go there. A count of 0 is none. */
export function vimMotion(
  buffer: TextBuffer,
  name: string,
  count: number,
  character: string | undefined,
  last: VimFind | undefined,
): VimMotion | undefined {
  const from = buffer.cursor;
  const times = Math.max(1, count);
  switch (name) {
    case "h":
      return exclusive(repeat(from, times, (point) => (point.offset > 0 ? buffer.leftOf(point) : point)));
    case "l":
    case " ":
      return exclusive(repeat(from, times, (point) => (isLineEnd(buffer, point) ? point : buffer.rightOf(point))));
    case "w":
    case "W":
      return exclusive(repeat(from, times, (point) => nextWord(buffer, point, name === "W")));
    case "b":
    case "B":
      return exclusive(repeat(from, times, (point) => previousWord(buffer, point, name === "B")));
    case "e":
    case "E":
      return inclusive(repeat(from, times, (point) => wordEnd(buffer, point, name === "E")));
    case "ge":
      return inclusive(repeat(from, times, (point) => previousWordEnd(buffer, point)));
    case "0":
      return exclusive({ line: from.line, offset: 0 });
    case "^":
      return exclusive(firstNonBlank(buffer, from.line));
    case "$": {
      const line = Math.min(from.line + times - 1, buffer.lines.length - 1);
      const end = { line, offset: buffer.lineText(line).length };
      return end.offset === 0 ? exclusive(end) : inclusive(buffer.leftOf(end));
    }
    case "gg":
      return linewise(firstNonBlank(buffer, Math.min(times, buffer.lines.length) - 1));
    case "G":
      return linewise(
        firstNonBlank(buffer, Math.min(count === 0 ? buffer.lines.length : count, buffer.lines.length) - 1),
      );
    case "{":
    case "}":
      return exclusive(repeat(from, times, (point) => paragraph(buffer, point, name === "}" ? 1 : -1)));
    case "%":
      return matchBracket(buffer, from);
    case ";":
    case ",": {
      if (!last) return undefined;
      const find = name === ";" ? last.name : reversed(last.name);
      return findCharacter(buffer, find, last.character, times, true);
    }
    default:
      return character === undefined ? undefined : findCharacter(buffer, name, character, times, false);
  }
}

/** The character at a place; empty at the end of a line. */
export function graphemeAt(buffer: TextBuffer, point: TextPoint): string {
  const text = buffer.lineText(point.line);
  return point.offset < text.length ? text.slice(point.offset, buffer.rightOf(point).offset) : "";
}

export function firstNonBlank(buffer: TextBuffer, line: number): TextPoint {
  const text = buffer.lineText(line);
  const offset = text.search(/\S/);
  return { line, offset: offset === -1 ? text.length : offset };
}

/** 0 is space or the end of a line, 1 a word, 2 signs. */
export function wordClass(grapheme: string, big: boolean): 0 | 1 | 2 {
  if (grapheme === "" || /^\s/u.test(grapheme)) return 0;
  return big || /^[\p{L}\p{N}\p{M}_]/u.test(grapheme) ? 1 : 2;
}

function repeat(from: TextPoint, times: number, step: (point: TextPoint) => TextPoint): TextPoint {
  let point = from;
  for (let time = 0; time < times; time += 1) {
    const next = step(point);
    if (next.line === point.line && next.offset === point.offset) break;
    point = next;
  }
  return point;
}

function nextWord(buffer: TextBuffer, from: TextPoint, big: boolean): TextPoint {
  const start = wordClass(graphemeAt(buffer, from), big);
  let point = from;
  while (start !== 0 && point.line === from.line && wordClass(graphemeAt(buffer, point), big) === start) {
    point = buffer.rightOf(point);
  }
  while (wordClass(graphemeAt(buffer, point), big) === 0) {
    const next = buffer.rightOf(point);
    if (next.line === point.line && next.offset === point.offset) break;
    point = next;
    if (isEmptyLine(buffer, point)) break;
  }
  return point;
}

function previousWord(buffer: TextBuffer, from: TextPoint, big: boolean): TextPoint {
  let point = from;
  do {
    const previous = buffer.leftOf(point);
    if (!isBefore(previous, point)) return point;
    point = previous;
  } while (wordClass(graphemeAt(buffer, point), big) === 0 && !isEmptyLine(buffer, point));
  const kind = wordClass(graphemeAt(buffer, point), big);
  while (point.offset > 0) {
    const previous = buffer.leftOf(point);
    if (wordClass(graphemeAt(buffer, previous), big) !== kind) break;
    point = previous;
  }
  return point;
}

function wordEnd(buffer: TextBuffer, from: TextPoint, big: boolean): TextPoint {
  let point = from;
  do {
    const next = buffer.rightOf(point);
    if (!isBefore(point, next)) return point;
    point = next;
  } while (wordClass(graphemeAt(buffer, point), big) === 0);
  const kind = wordClass(graphemeAt(buffer, point), big);
  for (;;) {
    const next = buffer.rightOf(point);
    if (next.line !== point.line || wordClass(graphemeAt(buffer, next), big) !== kind) return point;
    point = next;
  }
}

function previousWordEnd(buffer: TextBuffer, from: TextPoint): TextPoint {
  let point = from;
  const kind = wordClass(graphemeAt(buffer, point), false);
  while (kind !== 0 && point.offset > 0 && wordClass(graphemeAt(buffer, point), false) === kind)
    point = buffer.leftOf(point);
  if (kind !== 0 && wordClass(graphemeAt(buffer, point), false) === kind) point = buffer.leftOf(point);
  while (wordClass(graphemeAt(buffer, point), false) === 0 && isBefore(buffer.leftOf(point), point))
    point = buffer.leftOf(point);
  return point;
}

function paragraph(buffer: TextBuffer, from: TextPoint, step: 1 | -1): TextPoint {
  let line = from.line;
  while (line + step >= 0 && line + step < buffer.lines.length) {
    line += step;
    if (buffer.lineText(line) === "" && buffer.lineText(line - step) !== "") return { line, offset: 0 };
  }
  return step > 0 ? buffer.end : { line: 0, offset: 0 };
}

function findCharacter(
  buffer: TextBuffer,
  name: string,
  character: string,
  times: number,
  again: boolean,
): VimMotion | undefined {
  const { line, offset } = buffer.cursor;
  const text = buffer.lineText(line);
  const forward = name === "f" || name === "t";
  const till = name === "t" || name === "T";
  // A repeated `t` continues behind the character it stopped at.
  let at = offset;
  const skips = again && till && times === 1;
  if (skips && forward && text.startsWith(character, buffer.rightOf({ line, offset }).offset))
    at = buffer.rightOf({ line, offset }).offset;
  if (skips && !forward && text.endsWith(character, offset)) at = offset - character.length;
  for (let time = 0; time < times; time += 1) {
    at = forward ? text.indexOf(character, at + 1) : at === 0 ? -1 : text.lastIndexOf(character, at - 1);
    if (at === -1) return undefined;
  }
  if (forward) return inclusive(till ? buffer.leftOf({ line, offset: at }) : { line, offset: at });
  return exclusive(till ? { line, offset: at + character.length } : { line, offset: at });
}

function reversed(name: string): string {
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
}

function matchBracket(buffer: TextBuffer, from: TextPoint): VimMotion | undefined {
  const text = buffer.lineText(from.line);
  const offset = text.slice(from.offset).search(/[()[\]{}]/);
  if (offset === -1) return undefined;
  const start = { line: from.line, offset: from.offset + offset };
  const bracket = text[start.offset] ?? "";
  const pair = "()[]{}";
  const index = pair.indexOf(bracket);
  const other = pair[index ^ 1] ?? "";
  const found = bracketFrom(buffer, start, index % 2 === 0 ? 1 : -1, bracket, other);
  return found && inclusive(found);
}

/** The bracket that closes or opens, from a place outwards. */
export function bracketFrom(
  buffer: TextBuffer,
  from: TextPoint,
  direction: 1 | -1,
  same: string,
  other: string,
): TextPoint | undefined {
  let depth = 1;
  let line = from.line;
  let at = from.offset + direction;
  for (; line >= 0 && line < buffer.lines.length; line += direction) {
    const text = buffer.lineText(line);
    if (line !== from.line) at = direction > 0 ? 0 : text.length - 1;
    for (; at >= 0 && at < text.length; at += direction) {
      if (text[at] === same) depth += 1;
      else if (text[at] === other) depth -= 1;
      if (depth === 0) return { line, offset: at };
    }
  }
  return undefined;
}

function isLineEnd(buffer: TextBuffer, { line, offset }: TextPoint): boolean {
  return offset >= buffer.lineText(line).length;
}

function isEmptyLine(buffer: TextBuffer, { line }: TextPoint): boolean {
  return buffer.lineText(line) === "";
}

function exclusive(to: TextPoint): VimMotion {
  return { to, inclusive: false, linewise: false };
}

function inclusive(to: TextPoint): VimMotion {
  return { to, inclusive: true, linewise: false };
}

function linewise(to: TextPoint): VimMotion {
  return { to, inclusive: false, linewise: true };
}
