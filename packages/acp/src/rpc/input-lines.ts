// Bytes to lines. A line that is too long is left out, and what follows it is read as usual.

import { LineSplitter } from "@keelson/protocol";

const NEWLINE = 10;

export class InputLines {
  readonly #maxBytes: number;
  #splitter: LineSplitter;
  #skips = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#splitter = new LineSplitter({ maxBytes });
  }

  /** The lines that this chunk completes; undefined stands for one that is too long, as soon as that is known. */
  *push(chunk: Uint8Array): Generator<string | undefined> {
    let rest = chunk;
    if (this.#skips) {
      const end = chunk.indexOf(NEWLINE);
      if (end < 0) return;
      this.#skips = false;
      rest = chunk.subarray(end + 1);
    }
    try {
      yield* this.#splitter.push(rest);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#splitter = new LineSplitter({ maxBytes: this.#maxBytes });
      this.#skips = true;
      yield undefined;
    }
  }

  /** What is left if the input ends without a newline. */
  rest(): string | undefined {
    return this.#skips ? undefined : this.#splitter.rest();
  }
}
