// Messages on their way to a server, in order. If the server does not take them, more are refused, so that memory stays
// limited.

export class OutgoingMessages {
  readonly #max: number;
  readonly #write: (text: string) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #queued = 0;

  constructor(maxCharacters: number, write: (text: string) => Promise<void>) {
    this.#max = maxCharacters;
    this.#write = write;
  }

  /** Rejects if the server cannot be written to. One message of any size fits into an empty queue. */
  async push(text: string): Promise<void> {
    if (this.#queued > 0 && this.#queued + text.length > this.#max) {
      throw new Error("The server does not read its messages");
    }
    this.#queued += text.length;
    const written = this.#last.then(() => this.#write(text));
    this.#last = written.catch(() => undefined);
    try {
      await written;
    } finally {
      this.#queued -= text.length;
    }
  }
}
