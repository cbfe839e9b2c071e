// A lock across processes. The kernel holds it for an open file and drops it with the process, however that ends, so there
// is nothing to take over from a holder that was killed, and no process id to mistake for another's.

import { basename, dirname } from "node:path";
import { holdOwnFolder } from "../own-files.ts";
import { exclusiveFile } from "./exclusive-file.ts";
import { loadFlock } from "./flock.ts";
import { flockAttempts } from "./locked-file.ts";

const SHORTEST_PAUSE_MS = 0.5;
const LONGEST_PAUSE_MS = 16;
const PATIENCE_MS = 30_000;

export interface FileLockOptions {
  /** The file is removed with the lock. For folders of the user's; in our own, it stays. */
  readonly isTemporary?: boolean;
  /** How long to wait for another process. */
  readonly patienceMs?: number | undefined;
}

/** Tries once. Undefined if another process holds the lock. */
export type TryLock = (path: string, options: FileLockOptions) => Disposable | undefined;

export class FileLockedError extends Error {
  override readonly name = "FileLockedError";
}

/** Runs `work` while no other process runs its own under this path. */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options: FileLockOptions = {},
  tryLock?: TryLock,
): Promise<T> {
  const attempt = tryLock ?? (await systemLock());
  const until = performance.now() + (options.patienceMs ?? PATIENCE_MS);
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const held = attempt(path, options);
    if (held) {
      using _held = held;
      return await work();
    }
    if (performance.now() > until) throw lockedError(path);
    // Processes that wait for the same lock do not try in step.
    await Bun.sleep(pause * (0.5 + Math.random()));
  }
}

/** The same for a lock in a folder of ours, which must exist: no part of its path is a link. */
export async function withOwnFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  using folder = holdOwnFolder(dirname(path));
  try {
    return await withFileLock(folder.at(basename(path)), work, options);
  } catch (error) {
    throw error instanceof FileLockedError ? lockedError(path) : error;
  }
}

const lockedError = (path: string) =>
  new FileLockedError(`"${path}" is locked by another process; end it and try again`);

async function systemLock(): Promise<TryLock> {
  const flock = await loadFlock();
  return flock ? flockAttempts(flock) : exclusiveFile;
}
