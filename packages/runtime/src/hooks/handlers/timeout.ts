// Work of a hook that has only so long. Nobody waits for work that does not heed its signal.

export interface HandlerLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `late`: time was over first. `stopped`: the run was. What work throws after that is nobody's concern. */
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

/** How a hook that ran out of time is reported. */
export function timeoutReport(ended: "late" | "stopped", { timeoutMs }: HandlerLimit) {
  const problem = ended === "late" ? `gave no answer within ${timeoutMs / 1000} s` : "stopped with the run";
  return { outcome: "cancelled" as const, stdout: "", stderr: "", problem };
}
