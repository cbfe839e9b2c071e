// A client that was killed leaves a run behind that nobody will read. Its end closes our input, as a client that has
// said everything does; only writing shows the difference, and a run may be silent for hours.

import { toLine } from "@keelson/protocol";

/** Every client passes over these. */
const KEEP_ALIVE = toLine({ type: "keep_alive" });
const PERIOD_MS = 1_000;

/**
 * Once those who started us are gone, tries every second whether anybody reads, and calls back when nobody does.
 * Returns how to stop. A command line left behind by its shell, with its output going to a file, is let alone.
 */
export function watchReader(
  isOrphan: () => boolean,
  write: (line: string) => Promise<void>,
  gone: () => void,
  every: (act: () => void) => () => void = everySecond,
): () => void {
  const stop = every(async () => {
    if (!isOrphan()) return;
    try {
      await write(KEEP_ALIVE);
    } catch {
      stop();
      gone();
    }
  });
  return stop;
}

function everySecond(act: () => void): () => void {
  const timer = setInterval(act, PERIOD_MS);
  return () => clearInterval(timer);
}
