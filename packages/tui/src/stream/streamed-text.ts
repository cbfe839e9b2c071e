// The Markdown of an answer while it arrives: what is finished can be taken once, the rest is shown as it is.

import type { Theme } from "../theme/theme.ts";
import { clean } from "../screen/clean.ts";
import { wrap } from "../screen/rows.ts";

export class StreamedText {
  readonly #parts: string[] = [];
  #rest = "";
  #length = 0;
  #ended = false;

  get length(): number {
    return this.#length;
  }

  push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    this.#rest += text;
  }

  end(): void {
    this.#ended = true;
  }

  whole(): string {
    if (this.#parts.length > 1) this.#parts.splice(0, this.#parts.length, this.#parts.join(""));
    return this.#parts[0] ?? "";
  }

  /** The rows that are final, each once. */
  take(columns: number, _theme: Theme): string[] {
    const end = this.#ended ? this.#rest.length : this.#rest.lastIndexOf("\n") + 1;
    const ready = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    if (ready === "") return [];
    return clean(ready.replace(/\n$/, ""))
      .split("\n")
      .flatMap((line) => wrap(line, columns));
  }

  /** The newest rows of what is not final yet. */
  tail(columns: number, _theme: Theme, maxRows: number): string[] {
    if (this.#rest === "") return [];
    const rows = clean(this.#rest.replace(/\n$/, ""))
      .split("\n")
      .flatMap((line) => wrap(line, columns));
    return rows.slice(-maxRows);
  }
}
