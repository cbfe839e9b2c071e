// Waits for work with a timeout and an abort signal. Calls `end` on either, and reports which one it was.

/** Timers are limited to 31 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface TimeLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Once it is aborted, the other limits no longer apply. */
  readonly lifted?: AbortSignal | undefined;
  readonly end: () => void;
}

export async function withLimits<T>(
  work: Promise<T>,
  limits: TimeLimits,
): Promise<{ readonly value: T; readonly timedOut: boolean; readonly aborted: boolean }> {
  const { timeoutMs, signal, lifted, end } = limits;
  let timedOut = false;
  let aborted = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      end();
    },
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  const abort = () => {
    aborted = true;
    end();
  };
  const lift = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
  lifted?.addEventListener("abort", lift, { once: true });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    const value = await work;
    return { value, timedOut, aborted };
  } finally {
    lift();
    lifted?.removeEventListener("abort", lift);
  }
}
