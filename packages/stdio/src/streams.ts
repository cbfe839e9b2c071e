// The three streams of a program, as front ends see them.

export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes to standard output. A promise means the reader is behind: wait for it. */
  write(text: string): void | Promise<void>;
  /** Writes one line to standard error. */
  error(text: string): void;
  /** Whether whoever started us is gone. */
  isOrphan?(): boolean;
}

/** Whether a failed write only means that nobody reads any more. */
export function isReaderGone(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
}
