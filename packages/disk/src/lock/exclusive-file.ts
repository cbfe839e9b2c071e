// The lock of systems and file systems without flock: a file that only one process can create. It names that process, so
// that one left by a process that died is removed.

import { closeSync, lstatSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { isRunning } from "../process-identity.ts";
import type { FileLockOptions } from "./file-lock.ts";

/** Most work under a lock takes milliseconds; younger files are left alone, whatever they name. */
const STALE_MS = 20_000;
/** Longer than any work under a lock takes: by then, the process id belongs to another process. */
const OVER_MS = 600_000;

export function exclusiveFile(path: string, { isTemporary = false }: FileLockOptions): Disposable | undefined {
  // Beside the file that stays, for other systems that share the folder lock that one.
  const held = isTemporary ? path : `${path}.held`;
  const mine = create(held);
  if (mine || !isStale(held)) return mine;
  // One process at a time looks again and takes it away: no one removes a lock that is new by then.
  const taking = `${held}.taking`;
  using right = create(taking);
  if (right) {
    if (isStale(held)) rmSync(held, { force: true });
  } else if (isStale(taking)) rmSync(taking, { force: true });
  return undefined;
}

function create(path: string): Disposable | undefined {
  try {
    const fd = openSync(path, "wx", 0o600);
    try {
      writeSync(fd, `${process.pid}\n`);
    } finally {
      closeSync(fd);
    }
    return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

function isStale(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // One from the future is as old: the clock was set back.
  const age = stat === undefined ? 0 : Math.abs(Date.now() - stat.mtimeMs);
  return age > OVER_MS || (age > STALE_MS && !hasHolder(path));
}

function hasHolder(path: string): boolean {
  try {
    return isRunning({ pid: Number.parseInt(readFileSync(path, "latin1"), 10), procStart: "" });
  } catch {
    // Released in the meantime.
    return true;
  }
}
