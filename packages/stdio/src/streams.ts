// The three standard streams, as front ends see them.

export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes to standard output. Await the promise if there is one: the reader is behind. */
  write(text: string): void | Promise<void>;
  /** Writes one line to standard error. */
  error(text: string): void;
  /** Whether the parent process is gone. */
  isOrphan?(): boolean;
}

/** Whether a write failed because the reader closed the pipe. */
export function isReaderGone(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
}
