// A text that arrives in parts.

/** What an answer is collected in. A front end may bring its own, which draws while the text grows. */
export interface GrowingText {
  readonly length: number;
  push(text: string): void;
  /** Nothing more comes. */
  end(): void;
  whole(): string;
}

export class TextParts implements GrowingText {
  readonly #parts: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  end(): void {
    this.whole();
  }

  whole(): string {
    if (this.#parts.length > 1) this.#parts.splice(0, this.#parts.length, this.#parts.join(""));
    return this.#parts[0] ?? "";
  }
}
