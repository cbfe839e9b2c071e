// The terminal as the program sees it: bytes in, bytes out, a size. Whoever starts the program provides it.

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Written at once and in order. Never throws: a terminal that is gone is reported by `onGone`. */
  write(text: string): void;
  onInput(listener: (chunk: Uint8Array) => void): () => void;
  onResize(listener: () => void): () => void;
  /** The window was closed, or the connection was lost. */
  onGone(listener: () => void): () => void;
  /** Raw mode: every key arrives at once and nothing is echoed. */
  setRaw(raw: boolean): void;
  /** Throws away what was typed or answered and not read yet, so that no shell gets it. */
  discardInput?(): void;
  /** Stops this process until the user brings it back (`fg`). The terminal must have been restored before. */
  stop(): Promise<void>;
}
