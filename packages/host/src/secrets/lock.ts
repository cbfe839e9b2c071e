// A lock that holds across processes: a file that only one can create. The lock of a process that died is taken over.

import { closeSync, constants, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { randomHex } from "../random.ts";
import { removeIfThere } from "./secret-files.ts";

const POLL_MS = 50;
const GIVE_UP_MS = 60_000;
/** Longer than any work under a lock takes. */
const STALE_MS = 90_000;

export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + GIVE_UP_MS;
  while (!create(path)) {
    if (performance.now() > until)
      throw new Error(`"${path}" is locked by another process; delete it if none is running`);
    if (isStale(path)) takeAway(path);
    else await Bun.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    removeIfThere(path);
  }
}

function create(path: string): boolean {
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    const fd = openSync(path, flags, 0o600);
    try {
      writeSync(fd, String(process.pid));
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return true;
    const pid = Number(readFileSync(path, "utf8"));
    // Empty for a moment after it was created.
    return Number.isInteger(pid) && pid > 0 && !isAlive(pid);
  } catch {
    // Released in the meantime.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** By renaming, which succeeds for one of those who try. */
function takeAway(path: string): void {
  const taken = `${path}.${randomHex(4)}`;
  try {
    renameSync(path, taken);
    removeIfThere(taken);
  } catch {
    // Someone else did.
  }
}
