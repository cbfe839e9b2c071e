// Text of any length in a few rows: PageUp and PageDown move through it, and it says how much there is.

import type { Key } from "../input/event.ts";
import { fit } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { KeyLookup } from "./key-lookup.ts";

/** Painted rows for a width. */
export type RowsFor = (columns: number, theme: Theme) => readonly string[];

export class ScrollText {
  #rowsFor: RowsFor;
  readonly #keys: KeyLookup;
  readonly #opensAt: ((rows: readonly string[]) => number) | undefined;
  #moved = false;
  #made: { columns: number; theme: Theme; rows: readonly string[] } | undefined;
  #first = 0;
  #shown = 1;

  /** `opensAt`: the row to begin with if not all of them fit. */
  constructor(rowsFor: RowsFor, keys: KeyLookup, opensAt?: (rows: readonly string[]) => number) {
    this.#opensAt = opensAt;
    this.#rowsFor = rowsFor;
    this.#keys = keys;
  }

  replace(rowsFor: RowsFor): void {
    this.#moved = true;
    this.#rowsFor = rowsFor;
    this.#made = undefined;
    this.#first = 0;
  }

  /** All rows. Made once per width: wrapping a long text takes a while. */
  all(columns: number, theme: Theme): readonly string[] {
    const made = this.#made;
    if (made?.columns === columns && made.theme === theme) return made.rows;
    const rows = this.#rowsFor(columns, theme);
    this.#made = { columns, theme, rows };
    return rows;
  }

  render(columns: number, most: number, theme: Theme): readonly string[] {
    const rows = this.all(columns, theme);
    this.#shown = Math.max(1, rows.length <= most ? rows.length : most - 1);
    if (rows.length <= most) return rows;
    if (most <= 0) return [];
    if (!this.#moved && this.#opensAt) this.#first = this.#opensAt(rows);
    const first = Math.max(0, Math.min(this.#first, rows.length - this.#shown));
    const last = first + this.#shown;
    const shown = rows.slice(first, last);
    if (most === 1) {
      const count = `  ${first + 1} of ${rows.length}`;
      return [`${fit(shown[0]!, Math.max(1, columns - count.length))}${theme.paint("dim", count)}`];
    }
    const [up, down] = [this.#keys.keyFor("scroll:pageUp"), this.#keys.keyFor("scroll:pageDown")];
    const how = up !== undefined && down !== undefined ? ` · ${up}/${down}` : "";
    return [...shown, theme.paint("dim", fit(`  ${first + 1}–${last} of ${rows.length} rows${how}`, columns))];
  }

  /** Whether the key was one for scrolling. */
  take(key: Key): boolean {
    const page = Math.max(1, this.#shown - 1);
    switch (this.#keys.action(key, ["Scroll"])) {
      case "scroll:pageUp":
        return this.#scroll(-page);
      case "scroll:pageDown":
        return this.#scroll(page);
      case "scroll:lineUp":
        return this.#scroll(-1);
      case "scroll:lineDown":
        return this.#scroll(1);
      case "scroll:top":
        return this.#scroll(-this.#first);
      case "scroll:bottom":
        return this.#scroll(Number.MAX_SAFE_INTEGER / 2);
      default:
        return false;
    }
  }

  #scroll(by: number): boolean {
    this.#moved = true;
    const count = this.#made?.rows.length ?? 0;
    this.#first = Math.max(0, Math.min(this.#first + by, count - this.#shown));
    return true;
  }
}
