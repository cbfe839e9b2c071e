// Newline-delimited JSON: splits bytes into lines, and writes lines.

const NEWLINE = 10;

/** Takes time in proportion to the input, however small the chunks are. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #held = 0;

  constructor(options: { readonly maxBytes?: number } = {}) {
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the lines that this chunk completes, without newlines. Throws RangeError if a line is too long. */
  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield this.#take(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The rest, if the stream ends without a newline. */
  rest(): string | undefined {
    return this.#held > 0 ? this.#take(new Uint8Array(0)) : undefined;
  }

  #hold(part: Uint8Array): void {
    this.#held += part.length;
    if (this.#held > this.#maxBytes) throw new RangeError(`Line is longer than ${this.#maxBytes} bytes`);
    this.#parts.push(part.slice());
  }

  #take(last: Uint8Array): string {
    if (this.#held === 0) return this.#text(last);
    const whole = new Uint8Array(this.#held + last.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole.set(last, at);
    this.#parts = [];
    this.#held = 0;
    return this.#text(whole);
  }

  #text(bytes: Uint8Array): string {
    const end = bytes[bytes.length - 1] === 13 ? bytes.length - 1 : bytes.length;
    return this.#decoder.decode(end === bytes.length ? bytes : bytes.subarray(0, end));
  }
}

/** Escapes characters that JSON allows but that some line readers treat as line breaks. */
export function toLine(value: unknown): string {
  const text = JSON.stringify(value);
  return (SEPARATORS.test(text) ? text.replace(ALL_SEPARATORS, escape) : text) + "\n";
}

const SEPARATORS = /[\u2028\u2029]/;
const ALL_SEPARATORS = /[\u2028\u2029]/g;
const escape = (char: string) => (char === "\u2028" ? "\\u2028" : "\\u2029");
