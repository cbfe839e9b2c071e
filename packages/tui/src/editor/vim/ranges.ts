// What an operator takes: whole lines, a text object, or as far as a motion leads.

import { isBefore, type TextBuffer } from "../text-buffer.ts";
import { firstNonBlank, graphemeAt, type vimMotion } from "./motions.ts";
import { vimObject, type VimRange } from "./objects.ts";
import { isLineNumber, type VimTarget } from "./parse.ts";

/** Where a motion from the cursor leads; undefined if it leads nowhere. */
export type FindMotion = (name: string, count: number, character: string | undefined) => ReturnType<typeof vimMotion>;

export function lineRange(buffer: TextBuffer, first: number, last: number): VimRange {
  const line = Math.min(last, buffer.lines.length - 1);
  return { from: { line: first, offset: 0 }, to: { line, offset: buffer.lineText(line).length }, linewise: true };
}

export interface OperatorTarget {
  readonly target: VimTarget;
  readonly count: number;
  readonly operator: string;
}

/** Undefined if there is nothing to take. */
export function operatorRange(
  buffer: TextBuffer,
  { target, count, operator }: OperatorTarget,
  find: FindMotion,
): VimRange | undefined {
  const from = buffer.cursor;
  if (target.kind === "object") return vimObject(buffer, target.name, target.around);
  if (target.kind === "line") return lineRange(buffer, from.line, from.line + count - 1);
  if (target.name === "j" || target.name === "k") {
    const other = from.line + (target.name === "j" ? count : -count);
    if (other < 0 || other >= buffer.lines.length) return undefined;
    return lineRange(buffer, Math.min(from.line, other), Math.max(from.line, other));
  }
  // `cw` on a word changes the word, not the space behind it.
  const onWord = /^\S/u.test(graphemeAt(buffer, from));
  const name = operator === "c" && onWord && /^w$/i.test(target.name) ? (target.name === "w" ? "e" : "E") : target.name;
  const motion = find(name, isLineNumber(name) ? count : Math.max(1, count), target.character);
  if (!motion) return undefined;
  if (motion.linewise)
    return lineRange(buffer, Math.min(from.line, motion.to.line), Math.max(from.line, motion.to.line));
  const [start, last] = isBefore(motion.to, from) ? [motion.to, from] : [from, motion.to];
  let to = motion.inclusive ? buffer.rightOf(last) : last;
  if (motion.inclusive && to.line > last.line) to = last;
  // A word motion takes no line break with it.
  if (/^w$/i.test(name) && to.line > start.line && to.offset <= firstNonBlank(buffer, to.line).offset) {
    to = { line: to.line - 1, offset: buffer.lineText(to.line - 1).length };
    if (isBefore(to, start)) to = start;
  }
  // `w` on the last word of the text ends on its last character.
  if (/^w$/i.test(name) && motion.to.line === buffer.end.line && motion.to.offset === buffer.end.offset) to = motion.to;
  return { from: start, to, linewise: false };
}
