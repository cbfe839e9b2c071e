// A file locked with flock. Any process that can read the file can lock it, too, such as a command that the model runs. So
// a process that holds the lock for work writes its pid into the file, and a lock without a living holder is a stranger's: after a
// while, another file takes the place of the locked one.

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { isRunning } from "../process-identity.ts";
import type { TryLock } from "./file-lock.ts";

/** Work under a lock takes milliseconds. */
const STRANGER_AFTER_MS = 2_000;
/** A process that replaces the file needs less than a millisecond, or was killed. */
const REPLACING_MS = 10_000;

/** For one wait: it remembers how long the file has been locked. */
export function flockAttempts(flock: (fd: number) => boolean): TryLock {
  let locked: { readonly ino: number; readonly since: number } | undefined;
  return (path) => {
    const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
    const fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    let isMine = false;
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new Error(`The lock is not a regular file: "${path}"`);
      if (flock(fd)) {
        isMine = begin(fd, path, stat.ino);
        return isMine ? { [Symbol.dispose]: () => end(fd) } : undefined;
      }
      const now = performance.now();
      if (locked?.ino !== stat.ino) locked = { ino: stat.ino, since: now };
      if (now - locked.since > STRANGER_AFTER_MS && !hasHolder(fd)) replace(path, stat.ino, () => hasHolder(fd));
      return undefined;
    } finally {
      if (!isMine) closeSync(fd);
    }
  };
}

/**
 * The order matters: a holder names itself, then looks for a process that replaces the file; that one announces itself,
 * then looks for a holder. So one of them sees the other.
 */
function begin(fd: number, path: string, ino: number): boolean {
  writeSync(fd, `${process.pid}\n`, 0);
  const isReplaced = lstatSync(path, { throwIfNoEntry: false })?.ino !== ino || isBeingReplaced(path, ino);
  if (isReplaced) ftruncateSync(fd);
  return !isReplaced;
}

function end(fd: number): void {
  ftruncateSync(fd);
  closeSync(fd);
}

function hasHolder(fd: number): boolean {
  const bytes = Buffer.alloc(16);
  const text = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString("latin1");
  return isRunning({ pid: Number.parseInt(text, 10), procStart: "" });
}

const replacingPath = (path: string, ino: number) => `${path}.${ino}.replacing`;

function isBeingReplaced(path: string, ino: number): boolean {
  const found = lstatSync(replacingPath(path, ino), { throwIfNoEntry: false });
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) < REPLACING_MS;
}

/** One process at a time, and only while the file is still this one. */
function replace(path: string, ino: number, hasHolderNow: () => boolean): void {
  const announcement = replacingPath(path, ino);
  if (!isBeingReplaced(path, ino)) rmSync(announcement, { force: true });
  try {
    closeSync(openSync(announcement, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino && !hasHolderNow()) renameSync(announcement, path);
  else rmSync(announcement, { force: true });
}
