// The rows below the scrollback, as they are on the screen, and what to write so that they become others. Everything is
// relative to the cursor: a terminal may scroll or wrap as it likes and still nothing finished is touched.

import { ResizedArea, rowsTaken, type DrawnArea, type Reflow } from "./reflow.ts";
import type { Misplacement, PaintedRows } from "./late-frames.ts";
import { width } from "../rows.ts";
import type { ScreenSize } from "../port.ts";
import type { Rendered } from "../view.ts";

const ERASE_ROW = "\x1b[K";
/** From the first column. Not in one step, because tmux keeps what is erased from the top left on in its history. */
const ERASE_BELOW = "\x1b[K\x1b[C\x1b[J\r";
/** Live rows are cut off at the edge: each is one row, also when the window just became narrower. */
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";
/** A column the cursor is never known to be in. */
const UNKNOWN = -1;
/** More finished rows than these are never written again. */
const TAIL = 60;

export class LiveArea {
  #size: ScreenSize;
  #rows: readonly string[] = [];
  /** Where the terminal's cursor is, counted from the top of the area. */
  #cursor = { row: 0, column: UNKNOWN };
  /** In which line of its row that is: a row that was found on the screen may take several. */
  #line = 0;
  /** Whether the rows may not be on the screen as they were written. */
  #spoiled = false;
  /** Finished rows to write once more, because they are at the wrong place and will be erased. */
  #again: readonly string[] = [];
  /** The last finished rows. */
  #tail: string[] = [];
  /** How many of the rows are above those that are live, and the finished rows to write in their place. */
  #misplaced:
    { readonly rows: number; readonly finished: readonly string[]; readonly lost: readonly string[] } | undefined;
  /** The sizes the window had since. */
  #sizes: ScreenSize[] = [];
  readonly #place: CursorPlace;

  constructor(size: ScreenSize) {
    this.#size = size;
    this.#place = new CursorPlace(size.rows);
  }

  /** Rows of the screen above the area, if known. */
  get above(): number | undefined {
    const y = this.#place.row;
    return y === undefined ? undefined : Math.max(0, y - this.#cursor.row);
  }

  /** From column 1 to the cursor. */
  get column(): string {
    return this.#cursor.column > 0 ? `\x1b[${this.#cursor.column}C` : "";
  }

  /** As it is on the screen now. */
  get drawn(): DrawnArea {
    const { row, column } = this.#cursor;
    const cursor = { row, column: this.#line * this.#size.columns + column };
    const finished = this.#tail.length < TAIL ? { finished: this.#tail } : {};
    return { rows: this.#rows, cursor, size: this.#size, y: this.#place.row, ...finished };
  }

  /** Finished rows to write once more, with the next paint. */
  takeAgain(): readonly string[] {
    const again = this.#again;
    this.#again = [];
    return again;
  }

  /** What puts the finished rows above the area and the area into the given form. The text is empty if nothing changes. */
  paint(
    finished: readonly string[],
    { rows, cursor }: Rendered,
  ): { readonly text: string; readonly painted: PaintedRows } {
    const pen = new Pen(this.#cursor, this.#place);
    const { columns } = this.#size;
    let old = this.#rows;
    // A row that the terminal breaks would be erased only where it begins.
    const anew = this.#spoiled || finished.some((row) => row.length > columns && width(row) > columns);
    if (anew) {
      pen.toRow(0);
      pen.text += ERASE_BELOW;
      old = [];
      this.#spoiled = false;
    }
    if (finished.length > 0) {
      pen.toRow(0);
      for (const row of finished) pen.finish(row, columns);
      old = old.slice(finished.length);
      this.#tail = [...this.#tail.slice(-TAIL), ...finished.slice(-TAIL)].slice(-TAIL);
    }
    const changed = rows.flatMap((row, at) => (at < old.length && row === old[at] ? [] : at));
    if (changed.length > 0) {
      pen.text += NO_WRAP;
      for (const at of changed) {
        pen.toRow(at);
        pen.row(at < old.length ? ERASE_ROW + rows[at]! : rows[at]!);
      }
      pen.text += WRAP;
    }
    if (old.length > rows.length) {
      pen.toRow(rows.length);
      pen.text += ERASE_BELOW;
    }
    this.#rows = rows;
    this.#line = 0;
    this.#cursor = {
      row: Math.max(0, Math.min(cursor?.row ?? 0, rows.length - 1)),
      column: Math.max(0, Math.min(cursor?.column ?? 0, columns - 1)),
    };
    pen.toCursor(this.#cursor);
    const painted = { finished, rows, changed, old: old.length, anew, cursor: this.#cursor.row };
    return { text: pen.text, painted };
  }

  /** The window has another size. What was drawn may have been wrapped. */
  windowResized(size: ScreenSize): void {
    this.#sizes.push(size);
  }

  /** The sizes until the window had so many columns. Those that came later are kept. */
  sizesUntil({ columns, rows }: ScreenSize): readonly ScreenSize[] {
    let at = this.#sizes.findIndex((size) => size.columns === columns);
    // If it is not among them, the news of it is not here yet.
    if (at === -1) return [...this.#sizes.splice(0), { columns, rows }];
    while (this.#sizes[at + 1]?.columns === columns) at += 1;
    return this.#sizes.splice(0, at + 1);
  }

  /** Whether the window was resized since the last paint and had these columns after that. */
  wasResizedTo({ columns }: Pick<ScreenSize, "columns">): boolean {
    return this.#sizes.some((size) => size.columns === columns);
  }

  /** The newest size that was not painted for. */
  get newestSize(): ScreenSize | undefined {
    return this.#sizes.at(-1);
  }

  /**
   * The next paint is for this size. The cursor is in row `y` of the screen, if that is known. Returns the sizes the
   * window had since the last paint.
   */
  resized(size: ScreenSize, reflow: Reflow, y: number | undefined): readonly ScreenSize[] {
    const steps = this.#sizes.splice(0);
    const area = new ResizedArea(this.drawn, reflow);
    for (const step of steps) area.step(step);
    let { above } = area;
    const wrong = this.#misplaced;
    this.#misplaced = undefined;
    if (wrong) {
      // Only what is still on the screen can be erased.
      const isSeen = y === undefined || above <= y;
      this.#again = isSeen ? [...wrong.lost, ...wrong.finished] : wrong.lost;
      if (isSeen) this.#tail = this.#tail.slice(0, Math.max(0, this.#tail.length - this.#again.length));
      else above -= area.linesOf(wrong.rows);
    }
    this.#cursor = { row: above, column: UNKNOWN };
    this.#line = 0;
    this.#size = size;
    this.#spoiled = true;
    this.#place.forget(size.rows);
    return steps;
  }

  /** Frames were drawn when the window already had other columns than they were made for, and began at a wrong row. */
  misplaced({ size, rows, cursor, live, finished, erased }: Misplacement): void {
    const { columns } = size;
    const lost = lastRows(this.#tail.slice(0, Math.max(0, this.#tail.length - finished.length)), erased, columns);
    this.#size = size;
    this.#rows = rows;
    this.#cursor = { row: cursor.row, column: Math.min(this.#cursor.column, columns - 1) };
    this.#line = cursor.line;
    this.#spoiled = true;
    this.#misplaced = { rows: live, finished, lost };
  }

  /** Something else wrote to the terminal; the area begins where the cursor is. */
  forget(): void {
    this.#rows = [];
    this.#cursor = { row: 0, column: UNKNOWN };
    this.#line = 0;
    this.#spoiled = true;
    this.#misplaced = undefined;
    this.#sizes = [];
    this.#place.forget(this.#size.rows);
  }

  /** Draws all rows at the next paint. */
  spoil(): void {
    this.#spoiled = true;
  }

  /** The terminal is asked now where its cursor is. */
  askedPlace(): void {
    this.#place.forget(this.#size.rows);
  }

  /** The terminal said where its cursor was when it was asked. */
  toldPlace(row: number): void {
    this.#place.told(row);
  }
}

/** The last of these that take at least so many rows on the screen. */
function lastRows(rows: readonly string[], taken: number, columns: number): string[] {
  let first = rows.length;
  for (let left = taken; left > 0 && first > 0;) left -= rowsTaken(rows[--first]!, columns);
  return rows.slice(first);
}

/** The cursor's row on the screen, from what the terminal said once and the moves since. At the bottom, it scrolls. */
class CursorPlace {
  #said: number | undefined;
  #moved = 0;
  #cap: number;
  #last: number;

  constructor(rows: number) {
    this.#last = this.#cap = rows - 1;
  }

  get row(): number | undefined {
    return this.#said === undefined ? undefined : Math.min(this.#cap, this.#said + this.#moved);
  }

  forget(rows: number): void {
    this.#said = undefined;
    this.#moved = 0;
    this.#last = this.#cap = rows - 1;
  }

  told(row: number): void {
    this.#said = row;
    // The window has become higher since.
    const more = Math.max(0, row - this.#last);
    this.#last += more;
    this.#cap += more;
  }

  move(rows: number): void {
    this.#moved += rows;
    this.#cap = Math.min(this.#last, this.#cap + rows);
  }
}

/** Moves over the area and writes. Down is a line feed, which scrolls at the bottom where a cursor movement would stop. */
class Pen {
  text = "";
  #at: { row: number; column: number };
  readonly #place: CursorPlace;

  constructor(from: { readonly row: number; readonly column: number }, place: CursorPlace) {
    this.#at = { ...from };
    this.#place = place;
  }

  /** To the first column of a row. */
  toRow(row: number): void {
    if (this.#at.column !== 0) this.text += "\r";
    const by = row - this.#at.row;
    if (by < 0) this.text += `\x1b[${-by}A`;
    else this.text += "\n".repeat(by);
    this.#place.move(by);
    this.#at = { row, column: 0 };
  }

  row(text: string): void {
    this.text += text;
    this.#at.column = UNKNOWN;
  }

  /** Writes a row that is above the area from now on. */
  finish(text: string, columns: number): void {
    this.text += `${ERASE_ROW}${text}\r\n`;
    this.#place.move(text.length > columns ? rowsTaken(text, columns) : 1);
  }

  toCursor({ row, column }: { readonly row: number; readonly column: number }): void {
    if (row === this.#at.row && column === this.#at.column) return;
    this.toRow(row);
    if (column > 0) this.text += `\x1b[${column}C`;
    this.#at.column = column;
  }
}
