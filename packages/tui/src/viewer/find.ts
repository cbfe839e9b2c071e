// Searching in a long text, line by line from where one looks, and showing what was found.

import { width } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { Spot, TextLayout } from "./layout.ts";

/** Where a text occurs in a line: from and to, in UTF-16 units of the plain line. */
export type Match = readonly [from: number, to: number];

/** Upper and lower case are the same, unless the wanted text has upper case. */
export function matchesIn(plain: string, wanted: string): readonly Match[] {
  if (wanted === "") return [];
  const text = wanted === wanted.toLowerCase() ? plain.toLowerCase() : plain;
  // Some letters get longer in lower case, which would shift all that follows.
  if (text.length !== plain.length) return exactMatches(plain, wanted);
  return exactMatches(text, wanted);
}

function exactMatches(text: string, wanted: string): readonly Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    found.push([at, at + wanted.length]);
  }
  return found;
}

/** The next line with the text after `from`, or before it; all around, `from` last. */
export function findLine(layout: TextLayout, from: Spot, wanted: string, step: 1 | -1): Spot | undefined {
  if (wanted === "" || layout.sections.length === 0) return undefined;
  const count = layout.sections.length;
  for (let passed = 0; passed <= count; passed += 1) {
    const section = (from.section + passed * step + count * (passed + 1)) % count;
    const lines = layout.allLines(section);
    const first = passed === 0 ? from.line + step : step > 0 ? 0 : lines.length - 1;
    for (let line = first; line >= 0 && line < lines.length; line += step) {
      if (matchesIn(Bun.stripANSI(lines[line]!), wanted).length > 0) return { section, line, row: 0 };
    }
  }
  return undefined;
}

/** The row of a line in which its first match starts. */
export function rowOfMatch(rows: readonly string[], wanted: string): number {
  const plain = rows.map((row) => Bun.stripANSI(row));
  const [first] = matchesIn(plain.join(""), wanted);
  if (first === undefined) return 0;
  let end = 0;
  const row = plain.findIndex((text) => (end += text.length) > first[0]);
  return Math.max(0, row);
}

/** The rows of one line, with the matches in it marked, also those that continue in the next row. */
export function markMatches(rows: readonly string[], wanted: string, theme: Theme): readonly string[] {
  const plain = rows.map((row) => Bun.stripANSI(row));
  const matches = matchesIn(plain.join(""), wanted);
  if (matches.length === 0) return rows;
  let start = 0;
  return rows.map((row, index) => {
    const text = plain[index]!;
    const from = start;
    start += text.length;
    const own = matches
      .map(([a, b]): Match => [Math.max(0, a - from), Math.min(text.length, b - from)])
      .filter(([a, b]) => a < b);
    return own.length === 0 ? row : markedRow(row, text, own, theme);
  });
}

function markedRow(row: string, plain: string, matches: readonly Match[], theme: Theme): string {
  let marked = "";
  let column = 0;
  for (const [from, to] of matches) {
    const start = width(plain.slice(0, from));
    const end = start + width(plain.slice(from, to));
    // The match is painted alone: the colors of the text would hide the mark.
    marked +=
      Bun.sliceAnsi(row, column, start) + theme.paint("underline", theme.paint("accent", plain.slice(from, to)));
    column = end;
  }
  return marked + Bun.sliceAnsi(row, column);
}
