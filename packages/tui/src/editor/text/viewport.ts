// Which rows of a draft are on the screen, and moves from row to row. The work depends on the rows shown, not on the
// length of the text.

import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import { offsetAtColumn, widthBetween } from "./line.ts";

/** A row: which line, and the row in it. */
interface RowPlace {
  readonly line: number;
  readonly row: number;
}

export interface VisibleRow {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface Visible {
  readonly rows: readonly VisibleRow[];
  readonly cursor: { readonly row: number; readonly column: number };
  /** Whether there is more than is shown. */
  readonly above: boolean;
  readonly below: boolean;
}

export class Viewport {
  #top: RowPlace = { line: 0, row: 0 };

  /** At most `height` rows, with the cursor among them. */
  visible(buffer: TextBuffer, columns: number, height: number): Visible {
    const { cursor } = buffer;
    const at: RowPlace = { line: cursor.line, row: buffer.lines[cursor.line]?.rowOf(cursor.offset, columns) ?? 0 };
    const lowest = back(buffer, columns, at, height - 1);
    if (isAbove(at, this.#top)) this.#top = at;
    else if (isAbove(this.#top, lowest)) this.#top = lowest;
    // Does not scroll further than needed: the last row stays at the bottom.
    const shown = countFrom(buffer, columns, this.#top, height);
    if (shown < height) this.#top = back(buffer, columns, this.#top, height - shown);
    const rows = rowsFrom(buffer, columns, this.#top, height);
    const row = rows.findIndex(
      ({ line, start, end }) =>
        line === cursor.line && start <= cursor.offset && (cursor.offset < end || atEnd(buffer, line, end)),
    );
    const start = rows[row]?.start ?? 0;
    const last = rows.at(-1);
    return {
      rows,
      cursor: { row: Math.max(0, row), column: widthBetween(buffer.lineText(cursor.line), start, cursor.offset) },
      above: this.#top.line > 0 || this.#top.row > 0,
      below: last !== undefined && (last.line < buffer.lines.length - 1 || !atEnd(buffer, last.line, last.end)),
    };
  }
}

/** The place a row further up or down, at a column if it is that long; undefined beyond the first and last row. */
export function rowMove(
  buffer: TextBuffer,
  columns: number,
  direction: -1 | 1,
  goal: number | undefined,
): { readonly point: TextPoint; readonly goal: number } | undefined {
  const { line, offset } = buffer.cursor;
  const current = buffer.lines[line];
  if (!current) return undefined;
  const row = current.rowOf(offset, columns);
  const column = goal ?? widthBetween(current.text, current.row(row, columns).start, offset);
  const target = direction < 0 ? stepUp(buffer, columns, { line, row }) : stepDown(buffer, columns, { line, row });
  const into = target && buffer.lines[target.line];
  if (!target || !into) return undefined;
  const { start, end } = into.row(target.row, columns);
  const found = offsetAtColumn(into.text, start, end, column);
  // The end of a row that continues is the start of the next row.
  const last = found === end && !atEnd(buffer, target.line, end);
  const within = last ? offsetAtColumn(into.text, start, end, widthBetween(into.text, start, end) - 1) : found;
  return { point: { line: target.line, offset: within }, goal: column };
}

/** How many rows the text takes, counted up to a limit. */
export function countRows(buffer: TextBuffer, columns: number, limit: number): number {
  return countFrom(buffer, columns, { line: 0, row: 0 }, limit);
}

function countFrom(buffer: TextBuffer, columns: number, from: RowPlace, limit: number): number {
  let count = -from.row;
  for (let line = from.line; line < buffer.lines.length && count < limit; line += 1) {
    count += buffer.lines[line]?.rows(columns, limit - count) ?? 0;
  }
  return Math.min(count, limit);
}

function rowsFrom(buffer: TextBuffer, columns: number, from: RowPlace, height: number): VisibleRow[] {
  const rows: VisibleRow[] = [];
  for (
    let place: RowPlace | undefined = from;
    place && rows.length < height;
    place = stepDown(buffer, columns, place)
  ) {
    const line = buffer.lines[place.line];
    if (!line) break;
    rows.push({ line: place.line, ...line.row(place.row, columns) });
  }
  return rows;
}

function back(buffer: TextBuffer, columns: number, from: RowPlace, steps: number): RowPlace {
  let place = from;
  for (let step = 0; step < steps; step += 1) {
    const up = stepUp(buffer, columns, place);
    if (!up) break;
    place = up;
  }
  return place;
}

function stepUp(buffer: TextBuffer, columns: number, { line, row }: RowPlace): RowPlace | undefined {
  if (row > 0) return { line, row: row - 1 };
  const above = buffer.lines[line - 1];
  return above && { line: line - 1, row: above.rows(columns) - 1 };
}

function stepDown(buffer: TextBuffer, columns: number, { line, row }: RowPlace): RowPlace | undefined {
  const current = buffer.lines[line];
  if (current && current.rows(columns, row + 2) > row + 1) return { line, row: row + 1 };
  return line + 1 < buffer.lines.length ? { line: line + 1, row: 0 } : undefined;
}

function isAbove(a: RowPlace, b: RowPlace): boolean {
  return a.line < b.line || (a.line === b.line && a.row < b.row);
}

function atEnd(buffer: TextBuffer, line: number, offset: number): boolean {
  return offset >= buffer.lineText(line).length;
}
