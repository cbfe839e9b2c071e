// Ends the run of a client that was killed. A killed client closes our input, but so does one that is done sending;
// only a write shows the difference, and a run may write nothing for hours.

import { toLine } from "@keelson/protocol";

const PERIOD_MS = 1_000;

/**
 * Once the parent process is gone, writes every second and calls `gone` when a write fails. Returns a function that
 * stops. A program left behind by its shell that writes to a file keeps running.
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
      // Clients ignore this message.
      await write(toLine({ type: "keep_alive" }));
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
