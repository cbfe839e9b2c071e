// The Markdown of an answer while it arrives: what is finished can be taken once, the rest is shown as it is.

import { TextParts, type GrowingText } from "@keelson/client";
import { MarkdownStream } from "../markdown/markdown-stream.ts";
import { renderMarkdown } from "../markdown/render-markdown.ts";
import type { Theme } from "../theme/theme.ts";

/** Of a text that cannot be written yet, more is not looked at. */
const MOST_LOOKED_AT = 16 * 1024;

export class StreamedText implements GrowingText {
  /** Whether its first row was written. */
  begun = false;
  readonly #text = new TextParts();
  /** Undefined when all of it was taken. */
  #stream: MarkdownStream | undefined = new MarkdownStream();
  #ended = false;
  #taken = false;
  #look: { readonly key: string; readonly rows: readonly string[] } | undefined;

  get length(): number {
    return this.#text.length;
  }

  push(text: string): void {
    this.#text.push(text);
    this.#stream?.push(text);
  }

  end(): void {
    this.#ended = true;
    this.#stream?.end();
  }

  whole(): string {
    return this.#text.whole();
  }

  /** The rows that are final, each once. */
  take(columns: number, theme: Theme): string[] {
    this.#taken = true;
    const rows = this.#stream?.take(columns, theme) ?? [];
    if (this.#ended) this.#stream = undefined;
    return rows;
  }

  /** The newest rows of what was not taken yet. */
  tail(columns: number, theme: Theme, maxRows: number): readonly string[] {
    if (this.#taken) return this.#stream?.tail(columns, theme, maxRows) ?? [];
    // It waits behind something unfinished, so all of it is still to be seen.
    const key = `${this.length} ${columns} ${theme.name}`;
    if (this.#look?.key !== key) this.#look = { key, rows: renderMarkdown(this.#newest(), columns, theme) };
    return this.#look.rows.slice(-maxRows);
  }

  #newest(): string {
    const text = this.whole();
    if (text.length <= MOST_LOOKED_AT) return text;
    const from = text.length - MOST_LOOKED_AT;
    return text.slice(text.indexOf("\n", from) + 1 || from);
  }
}
