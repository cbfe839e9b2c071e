// Keys from the terminal, as bytes. They can be left to another program for a while; what no one listens to is kept.

export type KeyListener = (chunk: Uint8Array) => void;

export interface KeyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export class TerminalInput {
  readonly #open: () => KeyReader;
  readonly #gone: () => void;
  readonly #listeners = new Set<KeyListener>();
  #kept: Uint8Array[] = [];
  #reader: KeyReader | undefined;

  constructor(open: () => KeyReader, gone: () => void) {
    this.#open = open;
    this.#gone = gone;
  }

  listen(listener: KeyListener): () => void {
    this.#listeners.add(listener);
    const kept = this.#kept;
    this.#kept = [];
    for (const chunk of kept) this.#hand(chunk);
    this.start();
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#reader !== undefined) return;
    const reader = this.#open();
    this.#reader = reader;
    void this.#read(reader);
  }

  /** From now on, keys are for another program. */
  async stop(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.cancel().catch(() => undefined);
  }

  async #read(reader: KeyReader): Promise<void> {
    for (;;) {
      const read = await reader.read().catch(() => undefined);
      if (read?.value !== undefined) this.#hand(read.value);
      if (read !== undefined && !read.done) continue;
      if (this.#reader === reader) this.#gone();
      return;
    }
  }

  #hand(chunk: Uint8Array): void {
    if (this.#listeners.size === 0) this.#kept.push(chunk);
    for (const listener of [...this.#listeners]) listener(chunk);
  }
}
