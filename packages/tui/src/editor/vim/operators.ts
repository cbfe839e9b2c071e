// What vim's operators do to a range of the text.

import type { TextBuffer } from "../text-buffer.ts";
import type { VimRange } from "./objects.ts";
import { firstNonBlank } from "./motions.ts";

/** What was deleted or yanked last. */
export interface VimRegister {
  readonly text: string;
  readonly linewise: boolean;
}

const INDENT = "  ";

/** Applies d, c, y, > or <. Returns the text that was there. */
export function applyOperator(buffer: TextBuffer, operator: string, range: VimRange): string {
  const text = buffer.slice(range.from, range.to);
  switch (operator) {
    case "y":
      buffer.moveTo(range.linewise ? { line: range.from.line, offset: buffer.cursor.offset } : range.from);
      return text;
    case "c":
      buffer.replace(range.from, range.to, "");
      return text;
    case "d":
      if (range.linewise) removeLines(buffer, range.from.line, range.to.line);
      else buffer.replace(range.from, range.to, "");
      return text;
    default:
      indent(buffer, range.from.line, range.to.line, operator === ">");
      return text;
  }
}

/** Puts the register behind the cursor, or before it. */
export function putRegister(buffer: TextBuffer, { text, linewise }: VimRegister, after: boolean, count: number): void {
  const { line, offset } = buffer.cursor;
  if (linewise) {
    const lines = Array.from({ length: count }, () => text).join("\n");
    const at = after ? buffer.lineEnd() : buffer.lineStart();
    buffer.replace(at, at, after ? `\n${lines}` : `${lines}\n`);
    buffer.moveTo(firstNonBlank(buffer, after ? line + 1 : line));
    return;
  }
  const at = after && offset < buffer.lineEnd().offset ? buffer.rightOf(buffer.cursor) : buffer.cursor;
  buffer.replace(at, at, text.repeat(count));
  // The cursor is on the last character put, or on the first if there are several lines.
  buffer.moveTo(text.includes("\n") ? at : buffer.leftOf(buffer.cursor));
}

/** Joins lines with a space between, without the indentation of the later ones. */
export function joinWithNext(buffer: TextBuffer, first: number, count: number): void {
  for (let time = 1; time < count && first + 1 < buffer.lines.length; time += 1) {
    const line = buffer.lineText(first);
    const next = buffer.lineText(first + 1);
    const rest = next.trimStart();
    const gap = line === "" || /\s$/.test(line) || rest === "" || rest.startsWith(")") ? "" : " ";
    buffer.replace({ line: first, offset: line.length }, { line: first + 1, offset: next.length - rest.length }, gap);
    buffer.moveTo({ line: first, offset: line.length });
  }
}

function removeLines(buffer: TextBuffer, first: number, last: number): void {
  const end = { line: last, offset: buffer.lineText(last).length };
  if (last + 1 < buffer.lines.length) buffer.replace({ line: first, offset: 0 }, { line: last + 1, offset: 0 }, "");
  else if (first > 0) buffer.replace({ line: first - 1, offset: buffer.lineText(first - 1).length }, end, "");
  else buffer.replace({ line: 0, offset: 0 }, end, "");
  buffer.moveTo(firstNonBlank(buffer, Math.min(first, buffer.lines.length - 1)));
}

function indent(buffer: TextBuffer, first: number, last: number, more: boolean): void {
  const from = { line: first, offset: 0 };
  const to = { line: last, offset: buffer.lineText(last).length };
  const lines = buffer.slice(from, to).split("\n");
  const changed = lines.map((line) =>
    more ? (line === "" ? line : INDENT + line) : line.replace(/^(?: {1,2}|\t)/, ""),
  );
  buffer.replace(from, to, changed.join("\n"));
  buffer.moveTo(firstNonBlank(buffer, first));
}
