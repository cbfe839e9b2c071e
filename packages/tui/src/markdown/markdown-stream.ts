// Markdown that arrives in pieces. Finished blocks are given out as rows, once; the rest can be looked at any time. Each
// line is read once and each finished block rendered once, so the cost is linear in the text however it was cut.

import { clean } from "../screen/clean.ts";
import type { Theme } from "../theme/theme.ts";
import { BlockReader } from "./blocks/block-reader.ts";
import { BlockRenderer } from "./block-renderer.ts";
import { skippedLength } from "./blocks/leaf.ts";

export class MarkdownStream {
  readonly #reader = new BlockReader();
  readonly #renderer = new BlockRenderer();
  /** The line that is not finished yet. */
  #partial: string[] = [];
  #partialLength = 0;
  #ended = false;
  /** The last tail: the screen asks again for every key, spinner step and status. */
  #lastTail: { readonly columns: number; readonly theme: Theme; readonly maxRows: number; rows: string[] } | undefined;

  push(delta: string): void {
    this.#lastTail = undefined;
    let from = 0;
    for (let end = delta.indexOf("\n"); end !== -1; end = delta.indexOf("\n", from)) {
      this.#addPartial(delta.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < delta.length) this.#addPartial(delta.slice(from));
  }

  end(): void {
    if (this.#ended) return;
    if (this.#partialLength > 0) this.#endLine();
    this.#reader.end();
    this.#ended = true;
  }

  /** Rows of blocks finished since the last call; each row is returned once, ever. */
  take(columns: number, theme: Theme): string[] {
    if (this.#reader.isEmpty) return [];
    this.#lastTail = undefined;
    return this.#renderer.render(this.#reader.take(), columns, theme);
  }

  /** The unfinished rest, at most maxRows rows (its last ones). */
  tail(columns: number, theme: Theme, maxRows: number): string[] {
    if (this.#ended || maxRows < 1) return [];
    const last = this.#lastTail;
    if (last && last.columns === columns && last.theme === theme && last.maxRows === maxRows) return last.rows;
    const rows = this.#renderTail(columns, theme, maxRows);
    this.#lastTail = { columns, theme, maxRows, rows };
    return rows;
  }

  /** The text has ended, and all its rows were taken. */
  get done(): boolean {
    return this.#ended && this.#reader.isEmpty;
  }

  #renderTail(columns: number, theme: Theme, maxRows: number): string[] {
    const maxCharacters = Math.max(1000, columns * maxRows);
    const reader = this.#reader.fork(maxCharacters, maxRows);
    const line = this.#partialLine(maxCharacters);
    // Signs alone may become anything; they are shown when it is clear what they are.
    if (!/^[\s>]*([-=*+_#`~|:]*|\d{1,9}[.)]?)\s*$/.test(line)) reader.line(line);
    reader.end();
    const blocks = reader.take();
    return this.#renderer.fork().render(blocks, columns, theme, { unfinished: true }).slice(-maxRows);
  }

  #addPartial(text: string): void {
    this.#partial.push(text);
    this.#partialLength += text.length;
  }

  #endLine(): void {
    const line = this.#partial.length === 1 ? this.#partial[0]! : this.#partial.join("");
    this.#reader.line(clean(line.endsWith("\r") ? line.slice(0, -1) : line));
    this.#partial = [];
    this.#partialLength = 0;
  }

  /** What there is of the unfinished line; of a very long one, the signs at its start and its last part. */
  #partialLine(maxCharacters: number): string {
    const skipped = skippedLength(this.#partialLength, maxCharacters);
    if (skipped === 0) return clean(withoutHalf(this.#partial.join("")));
    const start = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:#{1,6} )?/.exec(
      this.#partial.slice(0, 50).join("").slice(0, 100),
    )![0];
    const keep = this.#partialLength - skipped;
    const parts: string[] = [];
    let length = 0;
    for (let at = this.#partial.length - 1; at >= 0 && length < keep; at--) {
      const part = this.#partial[at]!;
      parts.push(part.length > keep - length ? part.slice(length - keep) : part);
      length += part.length;
    }
    return clean(`${start}… ${withoutHalf(parts.reverse().join(""))}`);
  }
}

/** The second half of a character may still be on its way. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
