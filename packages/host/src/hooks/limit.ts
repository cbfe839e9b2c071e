// The time limit of a hook, and the signals that end it early.

export interface TimeLimit extends Disposable {
  /** Resolves when the time is up or a signal aborts. */
  readonly reached: Promise<"timeout" | "interrupted">;
  /** The limit since the start or the last restart. */
  readonly ms: number;
  restart(ms: number): void;
}

/** Timers are limited to 31 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createTimeLimit(timeoutMs: number, signals: readonly AbortSignal[]): TimeLimit {
  const { promise: reached, resolve } = Promise.withResolvers<"timeout" | "interrupted">();
  const interrupt = () => resolve("interrupted");
  const arm = (ms: number) => setTimeout(() => resolve("timeout"), Math.min(ms, MAX_TIMER_MS));
  let current = timeoutMs;
  let timer = arm(timeoutMs);
  for (const signal of signals) {
    if (signal.aborted) interrupt();
    else signal.addEventListener("abort", interrupt, { once: true });
  }
  return {
    reached,
    get ms() {
      return current;
    },
    restart(ms) {
      clearTimeout(timer);
      current = ms;
      timer = arm(ms);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", interrupt);
    },
  };
}
