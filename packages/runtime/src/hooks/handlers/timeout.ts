// Runs a hook's work with a timeout. Does not wait for work that ignores its signal.

export interface HandlerLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `late`: the timeout passed. `stopped`: the run was interrupted. Errors thrown after that are ignored. */
export type TimedResult<T> = { readonly ended: "done"; readonly value: T } | { readonly ended: "late" | "stopped" };

export async function runWithTimeout<T>(
  { timeoutMs, signal }: HandlerLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<TimedResult<T>> {
  if (signal.aborted) return { ended: "stopped" };
  const aborting = new AbortController();
  const { promise: over, resolve } = Promise.withResolvers<TimedResult<T>>();
  const stop = (ended: "late" | "stopped") => {
    resolve({ ended });
    aborting.abort();
  };
  const onAbort = () => stop("stopped");
  const timer = setTimeout(() => stop("late"), Math.min(timeoutMs, MAX_TIMER_MS));
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([over, work(aborting.signal).then((value) => ({ ended: "done" as const, value }))]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The report of a hook that was cut off. */
export function timeoutReport(ended: "late" | "stopped", { timeoutMs }: HandlerLimit) {
  const problem = ended === "late" ? `did not answer within ${timeoutMs / 1000} s` : "stopped with the run";
  return { outcome: "cancelled" as const, stdout: "", stderr: "", problem };
}
