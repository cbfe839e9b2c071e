// A lock across processes. The kernel holds it for an open file and drops it with the process, however that ends, so there
// is nothing to take over from a holder that was killed.

import { exclusiveFile } from "./exclusive-file.ts";
import { loadFlock } from "./flock.ts";
import { flockAttempts } from "./locked-file.ts";

const SHORTEST_PAUSE_MS = 0.5;
const LONGEST_PAUSE_MS = 16;
const GIVE_UP_MS = 30_000;

/** Tries once. Undefined if another process holds the lock. */
export type TryLock = (path: string) => Disposable | undefined;

/** Runs `work` while no other process runs its own under this path. The file is created and stays. */
export async function withFileLock<T>(path: string, work: () => T, tryLock?: TryLock): Promise<T> {
  const attempt = tryLock ?? (await systemLock());
  const until = performance.now() + GIVE_UP_MS;
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const held = attempt(path);
    if (held) {
      using _held = held;
      return work();
    }
    if (performance.now() > until) throw new Error(`"${path}" is locked by another process; end it and try again`);
    // Processes that wait for the same lock do not try in step.
    await Bun.sleep(pause * (0.5 + Math.random()));
  }
}

async function systemLock(): Promise<TryLock> {
  const flock = await loadFlock();
  return flock ? flockAttempts(flock) : exclusiveFile;
}
