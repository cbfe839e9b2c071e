// A patch as rows: line numbers and signs in a gutter, changed words marked, code in its colors. The signs alone tell the
// whole story, so it works without color.

import type { PatchHunk } from "@keelson/protocol";
import { fileHighlighter, type LineHighlighter } from "@keelson/client/code-colors";
import { expandTabs, paintStyled, styledWidth, type StyledText } from "../code/styled-text.ts";
import { wrapCode } from "../code/wrap.ts";
import { clean } from "../screen/clean.ts";
import type { StyleName, Theme } from "../theme/theme.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import type { ChangedRange } from "./words.ts";

export interface RenderDiffOptions {
  /** The last of them says how many lines are not shown. */
  readonly maxRows?: number;
}

export function renderDiff(
  diff: { readonly path: string; readonly hunks: readonly PatchHunk[] },
  columns: number,
  theme: Theme,
  options: RenderDiffOptions = {},
): string[] {
  const maxRows = options.maxRows ?? Number.POSITIVE_INFINITY;
  const painter = new LinePainter(diff.path, gutterWidth(diff.hunks), columns, theme);
  const rows: string[] = [];
  /** Lines whose rows are all shown, even if a note takes the last row. */
  let shown = 0;
  let read = 0;
  for (const line of diffLines(diff.hunks)) {
    for (const row of painter.rows(line)) rows.push(row);
    if (line.kind !== "fold" && line.kind !== "note") read++;
    if (rows.length < maxRows) shown = read;
    if (rows.length > maxRows) break;
  }
  if (rows.length <= maxRows) return rows;
  const all = diff.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => !line.startsWith("\\")).length, 0);
  const left = all - shown;
  return [
    ...rows.slice(0, Math.max(0, maxRows - 1)),
    painter.note(`${left} more ${left === 1 ? "line" : "lines"}`),
  ].slice(0, Math.max(0, maxRows));
}

/** How many lines a patch adds and removes. */
export function countChangedLines(hunks: readonly PatchHunk[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
    }
  }
  return { added, removed };
}

function gutterWidth(hunks: readonly PatchHunk[]): number {
  let last = 1;
  for (const hunk of hunks) last = Math.max(last, hunk.oldStart + hunk.oldLines - 1, hunk.newStart + hunk.newLines - 1);
  return String(last).length;
}

class LinePainter {
  readonly #path: string;
  readonly #digits: number;
  readonly #columns: number;
  readonly #theme: Theme;
  #old: LineHighlighter;
  #new: LineHighlighter;

  constructor(path: string, digits: number, columns: number, theme: Theme) {
    this.#path = path;
    this.#digits = digits;
    this.#columns = columns;
    this.#theme = theme;
    this.#old = fileHighlighter(path);
    this.#new = fileHighlighter(path);
  }

  rows(line: DiffLine): string[] {
    if (line.kind === "fold") {
      // What was skipped may have opened or closed a comment: start afresh.
      this.#old = fileHighlighter(this.#path);
      this.#new = fileHighlighter(this.#path);
      return [this.note(`${line.count} unchanged ${line.count === 1 ? "line" : "lines"}`)];
    }
    if (line.kind === "note") return this.#wrapped("", " ", [{ text: clean(line.text), styles: ["dim"] }], []);
    const style: StyleName | undefined =
      line.kind === "added" ? "added" : line.kind === "removed" ? "removed" : undefined;
    const sign = line.kind === "added" ? "+" : line.kind === "removed" ? "-" : " ";
    const text = clean(line.text);
    const pieces = this.#colored(line.kind, text, line.changed ?? [], style);
    // With many colors the styles of changed lines are backgrounds, which go up to the edge.
    const fill = this.#theme.colors > 16 ? style : undefined;
    return this.#wrapped(String(line.number), sign, pieces, style ? [style] : ["dim"], fill);
  }

  note(text: string): string {
    const sign = this.#theme.ascii ? "..." : "⋯";
    const pieces: StyledText[] = [{ text: `${" ".repeat(this.#digits)} ${sign} ${text}`, styles: ["dim"] }];
    return paintStyled(wrapCode(pieces, this.#columns)[0]!, this.#theme);
  }

  #colored(
    kind: "added" | "removed" | "same",
    text: string,
    changed: readonly ChangedRange[],
    style: StyleName | undefined,
  ): readonly StyledText[] {
    // A removed line belongs to the old text only, an added one to the new.
    if (kind === "same") this.#old.line(text);
    const code = (kind === "removed" ? this.#old : this.#new).line(text);
    if (!style) return code;
    const word: StyleName = kind === "added" ? "addedWord" : "removedWord";
    // With few colors the color of the line is all there is.
    const syntax = this.#theme.colors > 16;
    const pieces: StyledText[] = [];
    let at = 0;
    let next = 0;
    for (const piece of code) {
      const inner = syntax ? piece.styles : [];
      const end = at + piece.text.length;
      while (at < end) {
        while (next < changed.length && changed[next]!.to <= at) next++;
        const range = changed[next];
        const inside = range !== undefined && range.from <= at;
        const to = Math.min(end, range === undefined ? end : inside ? range.to : range.from);
        const from = at - (end - piece.text.length);
        pieces.push({
          text: piece.text.slice(from, from + to - at),
          styles: inside ? [style, word, ...inner] : [style, ...inner],
        });
        at = to;
      }
    }
    return pieces;
  }

  #wrapped(
    number: string,
    sign: string,
    pieces: readonly StyledText[],
    gutter: readonly StyleName[],
    fill?: StyleName,
  ): string[] {
    const room = Math.max(1, this.#columns - this.#digits - 3);
    const rows: string[] = [];
    for (const content of wrapCode(tabsExpanded(pieces), room)) {
      const first = rows.length === 0;
      const head = `${(first ? number : "").padStart(this.#digits)} ${first ? sign : " "} `;
      const left = fill ? room - styledWidth(content) : 0;
      const isEmpty = left === 0 && content.every(({ text }) => text === "");
      const row = [{ text: isEmpty ? head.trimEnd() : head, styles: gutter }, ...content];
      if (fill && left > 0) row.push({ text: " ".repeat(left), styles: [fill] });
      rows.push(paintStyled(wrapCode(row, this.#columns)[0]!, this.#theme));
    }
    return rows;
  }
}

/** Tabs stop at columns of the whole line, also where it is cut into pieces. */
function tabsExpanded(pieces: readonly StyledText[]): readonly StyledText[] {
  if (!pieces.some(({ text }) => text.includes("\t"))) return pieces;
  let before = "";
  return pieces.map((piece) => {
    const text = expandTabs(before + piece.text).slice(before.length);
    before += text;
    return { ...piece, text };
  });
}
