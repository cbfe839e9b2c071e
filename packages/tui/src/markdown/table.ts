// Tables: columns as wide as their content, cells wrapped where that is too wide, and a list of `header: value` where
// there is no room for columns, or nobody looks at them.

import { styledWidth, UNSTYLED, type StyledText } from "../code/styled-text.ts";
import { wrapWords } from "../code/wrap.ts";
import { width } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { MarkdownTable } from "./blocks/block.ts";
import { inlineText, type InlineStyle } from "./inline/inline.ts";
import type { Alignment } from "./blocks/table-rows.ts";

/** Longer words may be broken in their column. */
const MAX_WORD = 24;

type Rows = readonly (readonly StyledText[])[];

export function tableRows(table: MarkdownTable, columns: number, style: InlineStyle, theme: Theme): Rows {
  const header = table.header.map((cell) => inlineText(cell, style, ["bold"]));
  const body = table.rows.map((row) => row.map((cell) => inlineText(withBreaks(cell), style)));
  if (theme.spoken) return asRecords(header, body, columns);
  const natural = header.map(() => 1);
  const least = header.map(() => 1);
  for (const row of [header, ...body]) {
    for (const [at, cell] of row.entries()) {
      for (const line of linesOf(cell)) natural[at] = Math.max(natural[at]!, styledWidth(line));
      least[at] = Math.max(least[at]!, Math.min(MAX_WORD, longestWord(cell)));
    }
  }
  const widths = fittedWidths(natural, least, columns - 3 * header.length - 1);
  if (!widths || (widths !== natural && columns < 60)) return asList(header, body, columns);
  return asGrid(header, body, widths, table.alignments, theme);
}

function withBreaks(cell: string): string {
  return cell.replace(/<br *\/?>/gi, "\n");
}

function longestWord(cell: readonly StyledText[]): number {
  let longest = 0;
  for (const { text } of cell) for (const word of text.split(/\s+/)) longest = Math.max(longest, width(word));
  return longest;
}

function linesOf(cell: readonly StyledText[]): readonly (readonly StyledText[])[] {
  if (!cell.some(({ text }) => text.includes("\n"))) return [cell];
  const lines: StyledText[][] = [[]];
  for (const piece of cell) {
    for (const [at, text] of piece.text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      lines.at(-1)!.push({ ...piece, text });
    }
  }
  return lines;
}

/**
 * The natural widths if they fit. Otherwise wide columns are cut to one width that fits, but not below their longest word.
 * Undefined if there is no room even for that.
 */
function fittedWidths(
  natural: readonly number[],
  least: readonly number[],
  room: number,
): readonly number[] | undefined {
  if (sum(natural) <= room) return natural;
  if (sum(least) > room) return undefined;
  const cut = (limit: number) => natural.map((each, at) => Math.min(each, Math.max(limit, least[at]!)));
  let low = 1;
  let high = room;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sum(cut(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = cut(low);
  for (let at = 0, left = room - sum(widths); at < widths.length && left > 0; at++) {
    if (widths[at]! >= natural[at]!) continue;
    widths[at]!++;
    left--;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function asGrid(
  header: Rows,
  body: readonly Rows[],
  widths: readonly number[],
  alignments: readonly Alignment[],
  theme: Theme,
): Rows {
  const wrapped = body.map((row) => row.map((cell, at) => wrapWords(cell, widths[at]!)));
  const tall = wrapped.some((row) => row.some((cell) => cell.length > 1));
  const line = (left: string, cross: string, right: string): readonly StyledText[] => {
    const dash = theme.ascii ? "-" : "─";
    const ends = theme.ascii ? ["+", "+", "+"] : [left, cross, right];
    return [
      { text: ends[0]! + widths.map((each) => dash.repeat(each + 2)).join(ends[1]) + ends[2]!, styles: ["border"] },
    ];
  };
  const bar: StyledText = { text: theme.ascii ? "|" : "│", styles: ["border"] };
  const rows: (readonly StyledText[])[] = [line("┌", "┬", "┐")];
  const add = (cells: readonly Rows[]) => {
    const height = cells.reduce((most, cell) => Math.max(most, cell.length), 1);
    for (let row = 0; row < height; row++) {
      const parts: StyledText[] = [];
      for (const [at, cell] of cells.entries()) {
        parts.push(bar);
        addPadded(parts, cell[row] ?? [], widths[at]!, alignments[at]!);
      }
      parts.push(bar);
      rows.push(parts);
    }
  };
  add(header.map((cell, at) => wrapWords(cell, widths[at]!)));
  rows.push(line("├", "┼", "┤"));
  for (const [at, cells] of wrapped.entries()) {
    if (tall && at > 0) rows.push(line("├", "┼", "┤"));
    add(cells);
  }
  rows.push(line("└", "┴", "┘"));
  return rows;
}

function addPadded(row: StyledText[], content: readonly StyledText[], width: number, alignment: Alignment): void {
  const free = Math.max(0, width - styledWidth(content));
  const left = alignment === "right" ? free : alignment === "center" ? Math.floor(free / 2) : 0;
  row.push({ text: " ".repeat(left + 1), styles: UNSTYLED });
  for (const piece of content) row.push(piece);
  row.push({ text: " ".repeat(free - left + 1), styles: UNSTYLED });
}

/** For screen readers: each row by itself, with its number, so that nobody has to count columns. */
function asRecords(header: Rows, body: readonly Rows[], columns: number): Rows {
  if (body.length === 0) return asList(header, body, columns);
  return body.flatMap((row, at) => [
    [{ text: `Row ${at + 1} of ${body.length}`, styles: UNSTYLED }],
    ...asList(header, [row], columns),
  ]);
}

function asList(header: Rows, body: readonly Rows[], columns: number): Rows {
  const rows: (readonly StyledText[])[] = [];
  if (body.length === 0) for (const cell of header) rows.push(...wrapWords(cell, columns));
  for (const [at, row] of body.entries()) {
    if (at > 0) rows.push([]);
    for (const [column, cell] of row.entries()) {
      const name = header[column]!;
      const label: StyledText[] = name.length === 0 ? [] : [...name, { text: ": ", styles: ["bold"] }];
      if (label.length === 0 && cell.length === 0) continue;
      const [first = [], ...more] = wrapWords([...label, ...cell], columns - 2);
      rows.push(first);
      for (const rest of more) rows.push([{ text: "  ", styles: UNSTYLED }, ...rest]);
    }
  }
  return rows;
}
