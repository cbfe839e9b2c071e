// Waits for work with a timeout and an abort signal. Calls `end` on either, and reports which one it was.

/** Timers are limited to 31 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export async function withLimits<T>(
  work: Promise<T>,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly end: () => void },
): Promise<{ readonly value: T; readonly timedOut: boolean; readonly aborted: boolean }> {
  const { timeoutMs, signal, end } = limits;
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
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    const value = await work;
    return { value, timedOut, aborted };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
