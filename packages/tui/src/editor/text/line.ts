// One line of the draft and how it is cut into rows. Rows are found only as far as someone looks.

import { graphemesFrom, graphemeWidth, shownGrapheme, simpleWidth } from "./graphemes.ts";

export class TextLine {
  readonly text: string;
  #columns = 0;
  /** Offsets at which rows start. */
  #starts: number[] = [0];
  #complete = false;

  /** With `before`, the line it was made from by a change at `changedAt`: the rows up to there are still right. */
  constructor(text: string, before?: TextLine, changedAt = 0) {
    this.text = text;
    if (!before) return;
    this.#columns = before.#columns;
    this.#starts = before.#starts.slice(0, Math.max(1, firstFrom(before.#starts, changedAt)));
  }

  /** Which row an offset is in. */
  rowOf(offset: number, columns: number): number {
    this.#wrap(columns, (starts) => (starts.at(-1) ?? 0) > offset);
    return Math.max(0, firstFrom(this.#starts, offset + 1) - 1);
  }

  /** Start and end of a row. */
  row(row: number, columns: number): { start: number; end: number } {
    this.#wrap(columns, (starts) => starts.length > row + 1);
    return { start: this.#starts[row] ?? this.text.length, end: this.#starts[row + 1] ?? this.text.length };
  }

  /** How many rows it has, counted up to a limit. */
  rows(columns: number, limit = Number.POSITIVE_INFINITY): number {
    this.#wrap(columns, (starts) => starts.length >= limit);
    return Math.min(this.#starts.length, limit);
  }

  #wrap(columns: number, enough: (starts: readonly number[]) => boolean): void {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#starts = [0];
      this.#complete = false;
    }
    while (!this.#complete && !enough(this.#starts)) {
      const end = rowEnd(this.text, this.#starts.at(-1) ?? 0, columns);
      if (end >= this.text.length) this.#complete = true;
      else this.#starts.push(end);
    }
  }
}

/** The columns that the text between two offsets takes. */
export function widthBetween(text: string, start: number, end: number): number {
  if (start >= end) return 0;
  let total = 0;
  for (const grapheme of graphemesFrom(text, start, end)) total += graphemeWidth(grapheme);
  return total;
}

/** The offset at a column of a row, at a grapheme's start. */
export function offsetAtColumn(text: string, start: number, end: number, column: number): number {
  let total = 0;
  let at = start;
  for (const grapheme of graphemesFrom(text, start, end)) {
    total += graphemeWidth(grapheme);
    if (total > column) return at;
    at += grapheme.length;
  }
  return end;
}

/** The text between two offsets as it is shown. */
export function shownBetween(text: string, start: number, end: number): string {
  const part = text.slice(start, end);
  if (/^[\u0020-\u007e]*$/.test(part)) return part;
  let shown = "";
  for (const grapheme of graphemesFrom(text, start, end)) shown += shownGrapheme(grapheme);
  return shown;
}

function rowEnd(text: string, start: number, columns: number): number {
  let total = 0;
  let at = start;
  while (at < text.length) {
    const simple = simpleWidth(text.charCodeAt(at));
    const joins = at + 1 < text.length && simpleWidth(text.charCodeAt(at + 1)) === 0;
    if (!simple || joins) return rowEndClosely(text, start, at, total, columns);
    total += simple;
    if (total > columns && at > start) return at;
    at += 1;
  }
  return text.length;
}

/** From the first place of a row on that takes a closer look. */
function rowEndClosely(text: string, start: number, from: number, before: number, columns: number): number {
  let total = before;
  let at = from;
  for (let size = columns * 4 + 16; ; size *= 4) {
    const limit = at + size;
    for (const grapheme of graphemesFrom(text, at, limit)) {
      // What touches the limit may be longer.
      if (at + grapheme.length >= limit && limit < text.length) break;
      total += graphemeWidth(grapheme);
      if (total > columns && at > start) return at;
      at += grapheme.length;
    }
    if (at >= text.length) return text.length;
  }
}

/** The index of the first number that is not below a value, in sorted numbers. */
function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
