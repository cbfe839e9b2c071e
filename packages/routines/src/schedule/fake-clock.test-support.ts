// A clock for tests of loops.

/** Time passes only when everybody waits. */
export class FakeClock {
  now: number;
  #waiting: { at: number; wake: () => void }[] = [];

  constructor(now: number) {
    this.now = now;
  }

  readonly wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiter = { at: this.now + Math.max(0, Math.ceil(ms)), wake: resolve };
      this.#waiting.push(waiter);
      signal.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        resolve();
      });
    });

  async advance(to: number): Promise<void> {
    for (;;) {
      await this.settle();
      const next = Math.min(...this.#waiting.map(({ at }) => at));
      if (next > to) break;
      this.now = Math.max(this.now, next);
      const due = this.#waiting.filter(({ at }) => at <= this.now);
      this.#waiting = this.#waiting.filter(({ at }) => at > this.now);
      for (const { wake } of due) wake();
    }
    this.now = to;
  }

  /** Everything that does not wait for time has happened. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
