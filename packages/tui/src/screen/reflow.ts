// What terminals do to rows that no longer fit when the window gets narrower, and where that leaves the cursor.

import { graphemes, width } from "./rows.ts";
import type { ScreenSize } from "./port.ts";

/**
 * - `none`: rows are cut off (xterm, the Linux console, GNU screen).
 * - `tracked`: rows are wrapped and the cursor stays with its text (tmux, kitty, VTE, and nearly all others).
 * - `xterm.js`: rows are wrapped except the cursor's, and the cursor moves down by all rows that were added, also by
 *   those below it (observed in 6.0.0; VS Code and most terminals in a browser).
 */
export type Reflow = "none" | "tracked" | "xterm.js";

export interface DrawnArea {
  readonly rows: readonly string[];
  /** In the area. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly size: ScreenSize;
  /** The row of the cursor on the screen, from 0. Undefined if not known: then the area ends at the bottom. */
  readonly y: number | undefined;
}

/** How many rows above the cursor the area begins after the window was resized. */
export function rowsAboveCursor(area: DrawnArea, to: ScreenSize, reflow: Reflow): number {
  const { rows, cursor, size } = area;
  if (reflow === "none" || to.columns >= size.columns) return cursor.row;
  if (reflow === "xterm.js") return aboveInXtermJs(area, to);
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + rowsTaken(row, to.columns), 0);
  return above + Math.floor(cursor.column / to.columns);
}

function aboveInXtermJs({ rows, cursor, size, y }: DrawnArea, to: ScreenSize): number {
  const below = size.rows - 1 - (y ?? size.rows - rows.length + cursor.row);
  // Rows below the cursor are removed first when the window gets lower.
  const left = below - Math.min(Math.max(0, size.rows - to.rows), below);
  let at = cursor.row;
  for (let row = Math.min(rows.length - 1, cursor.row + left); row >= 0; row--) {
    // The cursor has moved already by what was added below.
    if (row !== at || row >= rows.length) at += rowsTaken(rows[row]!, to.columns) - 1;
  }
  return at;
}

/** Rows a row takes where the window has so many columns. */
export function rowsTaken(row: string, columns: number): number {
  const total = width(row);
  if (total <= columns) return 1;
  // oxlint-disable-next-line no-control-regex
  const text = Bun.stripANSI(row);
  if (width(text) === text.length) return Math.ceil(total / columns);
  let [taken, used] = [1, 0];
  for (const [, size] of graphemes(text)) {
    if (used + size > columns) [taken, used] = [taken + 1, 0];
    used += size;
  }
  return taken;
}
