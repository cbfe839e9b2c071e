// Waiting for servers: for some time at most, and not after an abort.

/** The time of a session, and pauses in it. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  /** Rejects on abort. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const CLOCK: Clock = { now: () => performance.now(), sleep: pauseFor };

/** Resolves when the work is done, after this time or on abort, whichever is first. */
export async function within(
  ms: number,
  signal: AbortSignal,
  work: Promise<unknown>,
  { sleep }: Pick<Clock, "sleep"> = CLOCK,
): Promise<void> {
  if (signal.aborted) return;
  const over = new AbortController();
  const pause = sleep(ms, AbortSignal.any([signal, over.signal])).catch(() => undefined);
  await Promise.race([work, pause]).finally(() => over.abort());
}

/** The longest delay of a timer. */
const MOST_MS = 2 ** 31 - 1;

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, MOST_MS),
    );
    signal.addEventListener("abort", stop, { once: true });
  });
}
