// Where rows are in a long text. Nothing is laid out before it is shown: a place is a section, a line in it and a
// row of that line, and moving by rows wraps only the lines that are passed.

import { counted } from "../blocks/amounts.ts";
import { wrap } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { PagerSection } from "./section.ts";

export interface Spot {
  readonly section: number;
  readonly line: number;
  readonly row: number;
}

export const START: Spot = { section: 0, line: 0, row: 0 };

/** Wrapped lines that are kept; enough for a few screens. */
const KEPT_LINES = 600;

export class TextLayout {
  readonly #columns: number;
  readonly #theme: Theme;
  readonly #lines = new WeakMap<PagerSection, readonly string[]>();
  readonly #rows = new Map<string, readonly string[]>();
  sections: readonly PagerSection[] = [];
  folded: ReadonlySet<PagerSection> = new Set();

  constructor(columns: number, theme: Theme) {
    this.#columns = columns;
    this.#theme = theme;
  }

  isFor(columns: number, theme: Theme): boolean {
    return this.#columns === columns && this.#theme === theme;
  }

  canFold(section: number): boolean {
    return this.sections[section]?.folds === true && this.allLines(section).length > 1;
  }

  /** All lines of a section, also of a folded one. */
  allLines(section: number): readonly string[] {
    const found = this.sections[section];
    if (found === undefined) return [];
    const known = this.#lines.get(found);
    if (known !== undefined) return known;
    const lines = found.lines(this.#columns, this.#theme);
    this.#lines.set(found, lines);
    return lines;
  }

  line(section: number, line: number): string {
    if (!this.#isFolded(section)) return this.allLines(section)[line] ?? "";
    if (line > 0) return "";
    const [first = "", ...more] = this.allLines(section);
    return `${first} ${this.#theme.paint("dim", `(${counted(more.length, "more line")})`)}`;
  }

  /** One more than its text: an empty line separates sections. */
  lineCount(section: number): number {
    const own = this.#isFolded(section) ? 1 : this.allLines(section).length;
    if (own === 0) return 0;
    return own + (section < this.sections.length - 1 ? 1 : 0);
  }

  rowsOf(section: number, line: number): readonly string[] {
    const text = this.line(section, line);
    const known = this.#rows.get(text);
    if (known !== undefined) return known;
    if (this.#rows.size >= KEPT_LINES) this.#rows.clear();
    const rows = wrap(text, this.#columns);
    this.#rows.set(text, rows);
    return rows;
  }

  next({ section, line, row }: Spot): Spot | undefined {
    if (row + 1 < this.rowsOf(section, line).length) return { section, line, row: row + 1 };
    if (line + 1 < this.lineCount(section)) return { section, line: line + 1, row: 0 };
    return this.#firstIn(section + 1, 1);
  }

  previous({ section, line, row }: Spot): Spot | undefined {
    if (row > 0) return { section, line, row: row - 1 };
    if (line > 0) return { section, line: line - 1, row: this.rowsOf(section, line - 1).length - 1 };
    const before = this.#firstIn(section - 1, -1);
    return before && this.#lastOf(before.section);
  }

  /** At most `by` rows further, or back if negative. */
  move(from: Spot, by: number): Spot {
    let at = from;
    for (let left = Math.abs(by); left > 0; left -= 1) {
      const step = by > 0 ? this.next(at) : this.previous(at);
      if (step === undefined) break;
      at = step;
    }
    return at;
  }

  last(): Spot {
    const found = this.#firstIn(this.sections.length - 1, -1);
    return found ? this.#lastOf(found.section) : START;
  }

  /** The nearest place that exists. */
  settle({ section, line, row }: Spot): Spot {
    const found = this.#firstIn(Math.min(section, this.sections.length - 1), -1) ?? this.#firstIn(0, 1);
    if (found === undefined) return START;
    if (found.section !== section) return found.section < section ? this.#lastOf(found.section) : found;
    const held = Math.min(line, this.lineCount(section) - 1);
    return { section, line: held, row: Math.min(row, this.rowsOf(section, held).length - 1) };
  }

  #isFolded(section: number): boolean {
    const found = this.sections[section];
    return found !== undefined && this.folded.has(found) && this.canFold(section);
  }

  /** Sections without a line are skipped. */
  #firstIn(from: number, step: 1 | -1): Spot | undefined {
    for (let section = from; section >= 0 && section < this.sections.length; section += step) {
      if (this.lineCount(section) > 0) return { section, line: 0, row: 0 };
    }
    return undefined;
  }

  #lastOf(section: number): Spot {
    const line = this.lineCount(section) - 1;
    return { section, line, row: this.rowsOf(section, line).length - 1 };
  }
}

/** Negative if `a` comes first. */
export function compareSpots(a: Spot, b: Spot): number {
  return a.section - b.section || a.line - b.line || a.row - b.row;
}
