// What is written to the terminal, in order and without waiting for a terminal that does not read: what it has no room
// for is kept and tried again.

import { writeSync } from "node:fs";

const SOON_MS = 2;
const LATEST_MS = 50;

export class TerminalOutput {
  readonly #fd: number;
  readonly #gone: () => void;
  #kept: Uint8Array[] = [];
  #pause = SOON_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isGone = false;

  /** `gone` is called when nothing can be written any more. */
  constructor(fd: number, gone: () => void) {
    this.#fd = fd;
    this.#gone = gone;
  }

  write(text: string): void {
    if (text === "" || this.#isGone) return;
    this.#kept.push(Buffer.from(text));
    if (this.#timer === undefined) this.#push();
  }

  /** Waits until everything is written, but not for long: a terminal that does not read must not keep the program. */
  async drained(limitMs: number): Promise<void> {
    for (const until = Date.now() + limitMs; this.#kept.length > 0 && Date.now() < until;) await Bun.sleep(SOON_MS);
  }

  /** The same for a program that is about to end and cannot wait for anything else. */
  drainNow(limitMs: number): void {
    for (const until = Date.now() + limitMs; this.#kept.length > 0 && Date.now() < until;) {
      this.#push();
      if (this.#kept.length > 0) Bun.sleepSync(SOON_MS);
    }
  }

  #push(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#kept.length > 0) {
      const chunk = this.#kept[0]!;
      const written = this.#writeSome(chunk);
      if (written === undefined) return;
      if (written === chunk.length) this.#kept.shift();
      else this.#kept[0] = chunk.subarray(written);
    }
    this.#pause = SOON_MS;
  }

  /** Undefined if nothing more can be written now. */
  #writeSome(chunk: Uint8Array): number | undefined {
    try {
      return writeSync(this.#fd, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EINTR") return 0;
      if (code === "EAGAIN") {
        this.#timer = setTimeout(() => this.#push(), this.#pause);
        this.#pause = Math.min(LATEST_MS, this.#pause * 2);
        return undefined;
      }
      this.#isGone = true;
      this.#kept = [];
      this.#gone();
      return undefined;
    }
  }
}
