import { setTimeout as sleep } from "node:timers/promises";

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
