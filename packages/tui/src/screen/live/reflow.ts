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
  /** In the area: which of its rows. The column is counted from the start of the row, also where that takes several lines. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly size: ScreenSize;
  /** The row of the cursor on the screen, from 0. Undefined if not known: then the area ends at the bottom. */
  readonly y: number | undefined;
  /** All finished rows above it, if they are few. */
  readonly finished?: readonly string[];
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
    const groups = this.#xterm?.groups ?? this.#area.rows.map((row) => brokenAt(Bun.stripANSI(row), columns));
    return groups.flatMap((lines) =>
      lines.map((text, line) => ({ text, continues: line > 0 && this.#reflow !== "none" })),
    );
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
  /** Lines of the screen below the area. */
  #blank: number;
  /** Each row of the area: the text of the lines it takes now. */
  readonly #groups: (readonly string[])[];
  /** The finished rows above, and the cursor's row on the screen, as long as nothing has left the screen at its top. */
  #unscrolled: { readonly finished: (readonly string[])[]; y: number } | undefined;

  constructor({ rows, cursor, size, y, finished }: DrawnArea) {
    this.#columns = size.columns;
    this.#rows = size.rows;
    this.#groups = rows.map((row) => brokenAt(writtenText(row), size.columns));
    this.cursor = this.linesOf(cursor.row) + Math.floor(Math.max(0, cursor.column) / size.columns);
    this.#blank = y === undefined ? 0 : Math.max(0, size.rows - 1 - y - this.#below);
    if (y === undefined || finished === undefined) return;
    const broken = finished.map((row) => brokenAt(writtenText(row), size.columns));
    const lines = broken.reduce((sum, group) => sum + group.length, 0);
    if (lines <= y - this.cursor) this.#unscrolled = { finished: broken, y };
  }

  linesOf(count: number): number {
    return this.#groups.slice(0, count).reduce((sum, lines) => sum + lines.length, 0);
  }

  /** What is left of each row. */
  get groups(): readonly (readonly string[])[] {
    return this.#groups;
  }

  /** Lines of the area below the cursor. */
  get #below(): number {
    return Math.max(0, this.linesOf(this.#groups.length) - 1 - this.cursor);
  }

  resize({ columns, rows }: ScreenSize): void {
    for (; this.#rows < rows; this.#rows++) if (this.#blank + this.#below > 0) this.#blank++;
    // The lines below the cursor are removed first, whatever is on them.
    for (; this.#rows > rows; this.#rows--) this.#removeLast();
    if (columns < this.#columns) this.#narrow(columns);
    else if (columns > this.#columns) this.#widen(columns);
    this.#columns = columns;
  }

  #removeLast(): void {
    if (this.#blank + this.#below > 0) this.#dropLast();
    else this.#unscrolled = undefined;
  }

  #dropLast(): void {
    if (this.#blank > 0) {
      this.#blank--;
      return;
    }
    const last = this.#groups.pop();
    if (last && last.length > 1) this.#groups.push(last.slice(0, -1));
  }

  #narrow(columns: number): void {
    const before = this.#groups.map((lines) => lines.length);
    let removed = 0;
    let start = this.linesOf(this.#groups.length);
    for (const [at, lines] of [...this.#groups.entries()].toReversed()) {
      start -= lines.length;
      if (lines.length === 1 && width(lines[0]!) <= columns) continue;
      // The lines with the cursor are cut off. It has moved already by what was added below.
      if (this.cursor >= start && this.cursor < start + lines.length) {
        this.#groups[at] = cutTo(lines, columns);
        continue;
      }
      const broken = brokenAt(this.#joined(lines), columns);
      while (broken.length < lines.length) broken.push("");
      this.cursor += broken.length - lines.length;
      this.#groups[at] = broken;
      removed += this.#added(broken.length - lines.length);
    }
    for (const [at, lines] of [...(this.#unscrolled?.finished.entries() ?? [])].toReversed()) {
      const broken = brokenAt(this.#joined(lines), columns);
      if (this.#unscrolled) this.#unscrolled.finished[at] = broken;
      removed += this.#added(broken.length - lines.length);
    }
    this.#removeOld(removed, before);
  }

  /** As long as nothing has left the screen, each line that is added costs the last one. Returns how many it cost. */
  #added(count: number): number {
    let removed = 0;
    for (; removed < count && this.#unscrolled; removed++) {
      if (this.#unscrolled.y >= this.#rows - 1) {
        this.#unscrolled = undefined;
        break;
      }
      this.#unscrolled.y++;
    }
    return removed;
  }

  /**
   * The last of the lines that were there before: those that were added stay, also if the beginning of their row is gone.
   * They continue the row above then. `before`: how many lines each row had.
   */
  #removeOld(count: number, before: readonly number[]): void {
    const blank = Math.min(count, this.#blank);
    this.#blank -= blank;
    for (let at = this.#groups.length - 1, left = count - blank; left > 0 && at >= 0; at--) {
      const lines = this.#groups[at]!;
      const kept = Math.max(0, before[at]! - left);
      left -= before[at]! - kept;
      const rest = [...lines.slice(0, kept), ...lines.slice(before[at])];
      if (kept > 0) this.#groups[at] = rest;
      else {
        this.#groups.splice(at, 1);
        if (at > 0) this.#groups[at - 1] = [...this.#groups[at - 1]!, ...rest];
      }
    }
  }

  #widen(columns: number): void {
    const { cursor } = this;
    let [start, removed] = [0, 0];
    for (const [at, lines] of this.#groups.entries()) {
      if (lines.length > 1 && !(cursor >= start && cursor < start + lines.length)) {
        const broken = brokenAt(this.#joined(lines), columns);
        while (broken.length > 1 && /^ *$/.test(broken.at(-1)!)) broken.pop();
        this.#groups[at] = broken;
        removed += lines.length - broken.length;
      }
      start += lines.length;
    }
    this.cursor -= removed;
    if (!this.#unscrolled) return;
    for (const [at, lines] of this.#unscrolled.finished.entries()) {
      const broken = brokenAt(this.#joined(lines), columns);
      this.#unscrolled.finished[at] = broken;
      removed += lines.length - broken.length;
    }
    this.#unscrolled.y -= removed;
    this.#blank += removed;
  }

  #joined(lines: readonly string[]): string {
    return rowOfLines(lines, this.#columns);
  }
}

/** Without colors. Spaces that were painted at the end are characters; those that only fill a line are not. */
export function writtenText(row: string): string {
  const text = Bun.stripANSI(row);
  return row.endsWith(" ") ? text : text.replace(/ +$/, (spaces) => "\u00a0".repeat(spaces.length));
}

/** The row that a terminal has broken into these lines. */
export function rowOfLines(lines: readonly string[], columns: number): string {
  return lines.reduce((row, line, at) => {
    const last = lines[at - 1]!;
    // One column is left where the next line begins with a wide character.
    const left = columns - width(last);
    return row + (left === 1 && startsWide(line) ? "" : " ".repeat(Math.max(0, left))) + line;
  });
}

function startsWide(text: string): boolean {
  for (const [, size] of graphemes(text)) return size === 2;
  return false;
}

/** The lines that text without colors takes. */
export function brokenAt(text: string, columns: number): string[] {
  if (width(text) <= columns) return [text];
  const lines: string[] = [];
  if (width(text) === text.length) {
    for (let at = 0; at < text.length; at += columns) lines.push(text.slice(at, at + columns));
    return lines;
  }
  let [line, used] = ["", 0];
  for (const [grapheme, size] of graphemes(text)) {
    if (used + size > columns) {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += grapheme;
    used += size;
  }
  return [...lines, line];
}

/** Live rows as a narrower window shows them, which does not wrap them. */
export function cutTo(rows: readonly string[], columns: number): string[] {
  return rows.map((row) => (width(row) > columns ? Bun.sliceAnsi(row, 0, columns) : row));
}

/** Rows a row takes where the window has so many columns. */
export function rowsTaken(row: string, columns: number): number {
  return width(row) <= columns ? 1 : brokenAt(Bun.stripANSI(row), columns).length;
}
