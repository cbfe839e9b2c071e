// The text of a draft, its cursor, and undo. Lines are kept apart, so that a key costs what its line costs.

import { TextLine } from "./text/line.ts";
import { boundaryAt, nextBoundary, previousBoundary } from "./text/graphemes.ts";

/** A place in the text: the line and the offset in it, in UTF-16 units. */
export interface TextPoint {
  readonly line: number;
  readonly offset: number;
}

interface Edit {
  readonly at: TextPoint;
  readonly removed: string;
  inserted: string;
  /** Where the cursor was. */
  readonly before: TextPoint;
  /** Typed characters join the ones typed before them, up to the next word. */
  readonly typed: boolean;
}

const START: TextPoint = { line: 0, offset: 0 };

export class TextBuffer {
  #lines: TextLine[] = [new TextLine("")];
  #cursor: TextPoint = START;
  #undo: Edit[] = [];
  #redo: Edit[] = [];
  #joins = false;

  get cursor(): TextPoint {
    return this.#cursor;
  }

  get lines(): readonly TextLine[] {
    return this.#lines;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 1 && this.lineText(0) === "";
  }

  get isBlank(): boolean {
    return this.#lines.every(({ text }) => text.trim() === "");
  }

  get end(): TextPoint {
    const line = this.#lines.length - 1;
    return { line, offset: this.lineText(line).length };
  }

  lineText(line: number): string {
    return this.#lines[line]?.text ?? "";
  }

  text(): string {
    return this.#lines.map(({ text }) => text).join("\n");
  }

  /** The text between two places. */
  slice(from: TextPoint, to: TextPoint): string {
    if (from.line === to.line) return this.lineText(from.line).slice(from.offset, to.offset);
    const between = this.#lines.slice(from.line + 1, to.line).map(({ text }) => text);
    return [this.lineText(from.line).slice(from.offset), ...between, this.lineText(to.line).slice(0, to.offset)].join(
      "\n",
    );
  }

  /** Moves the cursor to the nearest place that exists. Typing after it is a new step of undo. */
  moveTo(point: TextPoint): void {
    const line = Math.max(0, Math.min(point.line, this.#lines.length - 1));
    this.#cursor = { line, offset: boundaryAt(this.lineText(line), point.offset) };
    this.#joins = false;
  }

  /** Puts text in the place of the text between two places. The cursor goes behind it. */
  replace(from: TextPoint, to: TextPoint, text: string, typed = false): void {
    const removed = this.slice(from, to);
    if (removed === "" && text === "") return;
    const last = this.#undo.at(-1);
    const joins =
      this.#joins &&
      typed &&
      removed === "" &&
      last?.typed === true &&
      !(/\s$/.test(last.inserted) && /^\S/.test(text));
    if (joins && last) last.inserted += text;
    else this.#undo.push({ at: from, removed, inserted: text, before: this.#cursor, typed });
    this.#redo = [];
    this.#joins = typed;
    this.#cursor = this.#apply(from, to, text);
  }

  insert(text: string, typed = false): void {
    this.replace(this.#cursor, this.#cursor, text, typed);
  }

  /** Removes from the cursor to a place before or behind it. Returns what was there. */
  removeTo(point: TextPoint): string {
    const [from, to] = isBefore(point, this.#cursor) ? [point, this.#cursor] : [this.#cursor, point];
    const removed = this.slice(from, to);
    this.replace(from, to, "");
    return removed;
  }

  /** Another text, as one step of undo. The cursor goes to its end. */
  setText(text: string): void {
    this.replace(START, this.end, text);
  }

  /** Another text with no way back: the draft before is done with. */
  reset(text = ""): void {
    this.#lines = text.split("\n").map((line) => new TextLine(line));
    this.#cursor = this.end;
    this.#undo = [];
    this.#redo = [];
    this.#joins = false;
  }

  undo(): boolean {
    const edit = this.#undo.pop();
    if (!edit) return false;
    this.#apply(edit.at, textEnd(edit.at, edit.inserted), edit.removed);
    this.#cursor = edit.before;
    this.#redo.push(edit);
    this.#joins = false;
    return true;
  }

  redo(): boolean {
    const edit = this.#redo.pop();
    if (!edit) return false;
    this.#cursor = this.#apply(edit.at, textEnd(edit.at, edit.removed), edit.inserted);
    this.#undo.push(edit);
    this.#joins = false;
    return true;
  }

  /** The place one grapheme to the left, over the start of a line. */
  leftOf({ line, offset }: TextPoint): TextPoint {
    if (offset > 0) return { line, offset: previousBoundary(this.lineText(line), offset) };
    return line > 0 ? { line: line - 1, offset: this.lineText(line - 1).length } : START;
  }

  rightOf({ line, offset }: TextPoint): TextPoint {
    const text = this.lineText(line);
    if (offset < text.length) return { line, offset: nextBoundary(text, offset) };
    return line + 1 < this.#lines.length ? { line: line + 1, offset: 0 } : { line, offset };
  }

  lineStart(): TextPoint {
    return { line: this.#cursor.line, offset: 0 };
  }

  lineEnd(): TextPoint {
    return { line: this.#cursor.line, offset: this.lineText(this.#cursor.line).length };
  }

  #apply(from: TextPoint, to: TextPoint, text: string): TextPoint {
    const first = this.#lines[from.line];
    const head = this.lineText(from.line).slice(0, from.offset);
    const tail = this.lineText(to.line).slice(to.offset);
    const lines = text.split("\n");
    const end = textEnd(from, text);
    lines[0] = head + (lines[0] ?? "");
    lines[lines.length - 1] += tail;
    const made = lines.map((line, at) => new TextLine(line, at === 0 ? first : undefined, from.offset));
    const count = to.line - from.line + 1;
    if (made.length === count && count === 1) this.#lines[from.line] = made[0]!;
    else this.#lines = [...this.#lines.slice(0, from.line), ...made, ...this.#lines.slice(to.line + 1)];
    // A mark may have joined the character before it.
    return { line: end.line, offset: ceilBoundary(this.lineText(end.line), end.offset) };
  }
}

export function isBefore(a: TextPoint, b: TextPoint): boolean {
  return a.line < b.line || (a.line === b.line && a.offset < b.offset);
}

/** Where text ends that starts at a place. */
export function textEnd(at: TextPoint, text: string): TextPoint {
  const last = text.lastIndexOf("\n");
  if (last === -1) return { line: at.line, offset: at.offset + text.length };
  return { line: at.line + text.split("\n").length - 1, offset: text.length - last - 1 };
}

function ceilBoundary(text: string, offset: number): number {
  const floor = boundaryAt(text, offset);
  return floor === offset ? offset : nextBoundary(text, floor);
}
