// Progress reports for a call that takes long, so that a client with a timeout per message keeps waiting.

const EVERY_MS = 5_000;

/** Runs the work, reporting every few seconds how long it has been running. */
export async function withHeartbeat<T>(
  work: Promise<T>,
  report: (seconds: number) => void,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Promise<T> {
  const over = new AbortController();
  const beat = async () => {
    for (let beats = 1; ; beats++) {
      await wait(EVERY_MS, over.signal);
      if (over.signal.aborted) return;
      report((beats * EVERY_MS) / 1_000);
    }
  };
  void beat();
  try {
    return await work;
  } finally {
    over.abort();
  }
}
