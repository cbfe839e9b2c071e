// Waiting for servers: for some time at most, and not after an abort.

/** Resolves when the work is done, after this time or on abort, whichever is first. */
export async function within(ms: number, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  if (signal.aborted) return;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([work, enough]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Rejects on abort. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
