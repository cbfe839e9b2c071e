// Lines over a local socket, in both directions. Each side reads as fast as it works: what it has not taken stays with the
// sender.

import { LineSplitter } from "@keelson/protocol";

/** A line that is longer ends the connection. The same on both sides: a prompt may be shown as it was sent. */
const LONGEST_LINE = 128 * 1024 * 1024;

/** What is used of a socket of Bun. */
interface LineSocket {
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  end(): void;
  terminate(): void;
}

export class SocketLines implements AsyncIterable<string> {
  readonly #splitter = new LineSplitter({ maxBytes: LONGEST_LINE });
  #socket: LineSocket | undefined;
  #waiting: string[] = [];
  #isPaused = false;
  #isClosed = false;
  #isEnding = false;
  readonly #high: number;
  #wake: (() => void) | undefined;
  #unsent: Uint8Array[] = [];
  #drained: PromiseWithResolvers<void> | undefined;

  /** The other side is stopped beyond so many lines that are not taken, and goes on when half of them are. */
  constructor(high: number) {
    this.#high = high;
  }

  /** What Bun calls. Each of them only for this connection. */
  readonly handlers = {
    open: (socket: LineSocket) => void (this.#socket = socket),
    data: (bytes: Uint8Array) => this.#take(bytes),
    drain: () => this.#flush(),
    close: () => this.#closed(),
    error: () => this.#closed(),
  };

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns a promise if the other side does not read; wait for it before writing more. */
  write(line: string): void | Promise<void> {
    if (this.#isClosed || this.#isEnding) return;
    this.#unsent.push(new TextEncoder().encode(line.endsWith("\n") ? line : `${line}\n`));
    this.#flush();
    if (this.#unsent.length > 0) return (this.#drained ??= Promise.withResolvers<void>()).promise;
  }

  /** Closes the connection when everything is sent. */
  end(): void {
    this.#isEnding = true;
    this.#flush();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      while (this.#waiting.length > 0) {
        yield this.#waiting.shift()!;
        if (this.#isPaused && this.#waiting.length < this.#high / 2) {
          this.#isPaused = false;
          this.#socket?.resume();
        }
      }
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #take(bytes: Uint8Array): void {
    try {
      for (const line of this.#splitter.push(bytes)) if (line !== "") this.#waiting.push(line);
    } catch {
      this.#socket?.terminate();
      this.#closed();
    }
    if (this.#waiting.length > this.#high && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket?.pause();
    }
    this.#wake?.();
  }

  #flush(): void {
    while (this.#unsent.length > 0 && !this.#isClosed) {
      const next = this.#unsent[0]!;
      const sent = this.#socket?.write(next) ?? 0;
      if (sent < next.length) {
        this.#unsent[0] = next.subarray(Math.max(0, sent));
        return;
      }
      this.#unsent.shift();
    }
    this.#drained?.resolve();
    this.#drained = undefined;
    if (this.#isEnding) this.#socket?.end();
  }

  #closed(): void {
    this.#isClosed = true;
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#wake?.();
  }
}
