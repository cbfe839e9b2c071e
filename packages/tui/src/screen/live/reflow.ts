// What terminals do to rows that no longer fit when the window gets narrower, and where that leaves the cursor.

import { graphemes, width } from "../rows.ts";
import type { ScreenSize } from "../port.ts";

/**
 * - `none`: rows are cut off (xterm, the Linux console, GNU screen).
 * - `tracked`: rows are wrapped and the cursor stays with its text (tmux, kitty, VTE, and nearly all others).
 * - `xterm.js`: rows are wrapped except the cursor's, and the cursor moves down by all rows that were added, also by
 *   those below it (observed in 6.0.0; VS Code and most terminals in a browser).
 */
export type Reflow = "none" | "tracked" | "xterm.js";

export interface DrawnArea {
  /** A row that is wider than the window takes several lines of it. */
  readonly rows: readonly string[];
  /** In the area: which of its rows. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly size: ScreenSize;
  /** The row of the cursor on the screen, from 0. Undefined if not known: then the area ends at the bottom. */
  readonly y: number | undefined;
}

export interface ScreenLine {
  readonly text: string;
  /** Whether the terminal broke the row here, so that it may join the two again. */
  readonly continues: boolean;
}

/** How many rows above the cursor the area begins after the window was resized. */
export function rowsAboveCursor(area: DrawnArea, to: ScreenSize, reflow: Reflow): number {
  const resized = new ResizedArea(area, reflow);
  resized.step(to);
  return resized.above;
}

/** An area in a window that is resized, perhaps several times, before it is drawn again. */
export class ResizedArea {
  readonly #area: DrawnArea;
  readonly #reflow: Reflow;
  readonly #xterm: XtermLines | undefined;
  #columns: number;

  constructor(area: DrawnArea, reflow: Reflow) {
    this.#area = area;
    this.#reflow = reflow;
    this.#columns = area.size.columns;
    this.#xterm = reflow === "xterm.js" ? new XtermLines(area) : undefined;
  }

  step(to: ScreenSize): void {
    this.#xterm?.resize(to);
    this.#columns = to.columns;
  }

  /** Lines from the first of the area to the cursor. */
  get above(): number {
    if (this.#xterm) return this.#xterm.cursor;
    const { cursor } = this.#area;
    const before = this.linesOf(cursor.row);
    return this.#reflow === "none" ? before : before + Math.floor(Math.max(0, cursor.column) / this.#columns);
  }

  /** Lines that the first so many rows take. */
  linesOf(count: number): number {
    if (this.#xterm) return this.#xterm.linesOf(count);
    return this.#area.rows.slice(0, count).reduce((sum, row) => sum + this.#linesOf(row), 0);
  }

  /** The lines of all rows, without colors. */
  lines(): ScreenLine[] {
    const columns = this.#reflow === "none" ? this.#area.size.columns : this.#columns;
    return this.#area.rows.flatMap((row, at) => {
      const whole = Bun.stripANSI(row);
      const text = this.#xterm ? Bun.sliceAnsi(whole, 0, this.#xterm.widthOf(at)) : whole;
      const count = this.linesOf(at + 1) - this.linesOf(at);
      return Array.from({ length: count }, (_, line) => ({
        text: count === 1 ? text : Bun.sliceAnsi(text, line * columns, (line + 1) * columns),
        continues: line > 0 && this.#reflow !== "none",
      }));
    });
  }

  #linesOf(row: string): number {
    // Where rows are cut off, each line of a row has been one by itself since it was written.
    return rowsTaken(row, this.#reflow === "none" ? this.#area.size.columns : this.#columns);
  }
}

/** What xterm.js does to the lines of the area. */
class XtermLines {
  /** From the top of the area. */
  cursor: number;
  #columns: number;
  #rows: number;
  /** Lines of the screen below the cursor. */
  #below: number;
  /** Each row of the area: its columns, and the lines it takes now. */
  readonly #groups: { total: number; lines: number; readonly text: string | undefined }[];

  constructor({ rows, cursor, size, y }: DrawnArea) {
    this.#columns = size.columns;
    this.#rows = size.rows;
    this.#groups = rows.map((row) => {
      const total = width(row);
      const text = Bun.stripANSI(row);
      return { total, lines: rowsTaken(row, size.columns), text: text.length === total ? undefined : text };
    });
    this.cursor = this.linesOf(cursor.row);
    this.#below = Math.max(0, size.rows - 1 - (y ?? size.rows - this.linesOf(rows.length) + this.cursor));
  }

  linesOf(count: number): number {
    return this.#groups.slice(0, count).reduce((sum, { lines }) => sum + lines, 0);
  }

  /** What is left of a row. */
  widthOf(row: number): number {
    return this.#groups[row]?.total ?? 0;
  }

  resize({ columns, rows }: ScreenSize): void {
    // First lines below the cursor are removed.
    const removed = Math.min(Math.max(0, this.#rows - rows), this.#below);
    const blank = this.#below - (this.linesOf(this.#groups.length) - 1 - this.cursor);
    this.#below += rows > this.#rows ? rows - this.#rows : -removed;
    for (let left = removed - Math.max(0, blank); left > 0 && this.#groups.length > 0; left--) {
      const last = this.#groups.at(-1)!;
      last.lines -= 1;
      last.total = Math.min(last.total, last.lines * this.#columns);
      if (last.lines === 0) this.#groups.pop();
    }
    this.#rows = rows;
    if (columns < this.#columns) this.#narrow(columns);
    else if (columns > this.#columns) this.#widen(columns);
    this.#columns = columns;
  }

  #narrow(columns: number): void {
    let start = this.linesOf(this.#groups.length);
    for (const group of this.#groups.toReversed()) {
      start -= group.lines;
      if (group.lines === 1 && group.total <= columns) continue;
      // The lines with the cursor stay as they are. It has moved already by what was added below.
      if (this.cursor >= start && this.cursor < start + group.lines) {
        group.total = Math.min(group.total, group.lines * columns);
        continue;
      }
      const lines = linesOf(group, columns);
      this.cursor += lines - group.lines;
      group.lines = lines;
    }
  }

  #widen(columns: number): void {
    let start = 0;
    let removed = 0;
    for (const group of this.#groups) {
      const { lines } = group;
      if (lines > 1 && !(this.cursor >= start && this.cursor < start + lines)) {
        group.lines = linesOf(group, columns);
        removed += lines - group.lines;
      }
      start += lines;
    }
    this.cursor -= removed;
  }
}

function linesOf(
  { total, text }: { readonly total: number; readonly text: string | undefined },
  columns: number,
): number {
  return text === undefined ? Math.max(1, Math.ceil(total / columns)) : rowsTaken(text, columns);
}

/** Live rows as a narrower window shows them, which does not wrap them. */
export function cutTo(rows: readonly string[], columns: number): string[] {
  return rows.map((row) => (width(row) > columns ? Bun.sliceAnsi(row, 0, columns) : row));
}

/** Rows a row takes where the window has so many columns. */
export function rowsTaken(row: string, columns: number): number {
  const total = width(row);
  if (total <= columns) return 1;
  const text = Bun.stripANSI(row);
  if (width(text) === text.length) return Math.ceil(total / columns);
  let [taken, used] = [1, 0];
  for (const [, size] of graphemes(text)) {
    if (used + size > columns) [taken, used] = [taken + 1, 0];
    used += size;
  }
  return taken;
}
