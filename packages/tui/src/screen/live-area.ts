// The rows below the scrollback, as they are on the screen, and what to write so that they become others. Everything is
// relative to the cursor: a terminal may scroll or wrap as it likes and still nothing finished is touched.

import { rowsAboveCursor, rowsTaken, type Reflow } from "./reflow.ts";
import type { ScreenSize } from "./port.ts";
import type { Rendered } from "./view.ts";

const ERASE_ROW = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
/** Live rows are cut off at the edge: each is one row, also when the window just became narrower. */
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";
/** A column the cursor is never known to be in. */
const UNKNOWN = -1;

export class LiveArea {
  #size: ScreenSize;
  #rows: readonly string[] = [];
  /** Where the terminal's cursor is, counted from the top of the area. */
  #cursor = { row: 0, column: UNKNOWN };
  /** Whether the rows may not be on the screen as they were written. */
  #spoiled = false;
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

  /** What puts the finished rows above the area and the area into the given form. Empty if nothing changes. */
  paint(finished: readonly string[], { rows, cursor }: Rendered): string {
    const pen = new Pen(this.#cursor, this.#place);
    let old = this.#rows;
    if (this.#spoiled) {
      pen.toRow(0);
      pen.text += ERASE_BELOW;
      old = [];
      this.#spoiled = false;
    }
    if (finished.length > 0) {
      pen.toRow(0);
      for (const row of finished) pen.finish(row, this.#size.columns);
      old = old.slice(finished.length);
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
    this.#cursor = {
      row: Math.max(0, Math.min(cursor?.row ?? 0, rows.length - 1)),
      column: Math.max(0, Math.min(cursor?.column ?? 0, this.#size.columns - 1)),
    };
    pen.toCursor(this.#cursor);
    return pen.text;
  }

  /** The window has another size. What was drawn may have been wrapped. */
  resized(size: ScreenSize, reflow: Reflow): void {
    const area = { rows: this.#rows, cursor: this.#cursor, size: this.#size, y: this.#place.row };
    this.#cursor = { row: rowsAboveCursor(area, size, reflow), column: UNKNOWN };
    this.#size = size;
    this.#spoiled = true;
    this.#place.forget(size.rows);
  }

  /** Something else wrote to the terminal; the area begins where the cursor is. */
  forget(): void {
    this.#rows = [];
    this.#cursor = { row: 0, column: UNKNOWN };
    this.#spoiled = true;
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
