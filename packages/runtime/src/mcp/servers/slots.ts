// Limits how many servers connect at the same time: starting many programs at once would slow the session down.

export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when it is this caller's turn, with a function that gives the slot back. Rejects if the signal aborts. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.takeNow() ?? (await this.#wait(signal));
  }

  /** Undefined if none is free. */
  takeNow(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    return this.#giveBack();
  }

  #wait(signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1);
        reject(signal!.reason as Error);
      };
      const mine = () => {
        signal?.removeEventListener("abort", leave);
        resolve(this.#giveBack());
      };
      this.#waiting.push(mine);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
