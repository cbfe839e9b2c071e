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
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { isRunning } from "../process-identity.ts";
import { exclusiveFile } from "./exclusive-file.ts";
import type { TryLock } from "./file-lock.ts";
import { canLockBeside, type Flock } from "./flock.ts";

/** A holder names itself within a millisecond. */
const STRANGER_AFTER_MS = 2_000;
/** A process that replaces the file needs less than a millisecond, or was killed. */
const REPLACING_MS = 10_000;
/** How long something that cannot be opened is left where a lock should be. */
const IN_THE_WAY_MS = 5_000;
/** Programs that lock with a folder touch it every few seconds. One that was killed leaves it behind. */
const ABANDONED_MS = 60_000;

/** For one wait: it remembers how long the file has been locked. */
export function flockAttempts(flock: Flock): TryLock {
  let locked: { readonly ino: number; readonly since: number } | undefined;
  let isSupported: boolean | undefined;
  return (path, options) => {
    if (isSupported === false) return exclusiveFile(path, options);
    const fd = openLock(path, options.isTemporary === true);
    if (fd === undefined) return undefined;
    let isMine = false;
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new Error(`The lock is not a regular file: "${path}"`);
      if (flock(fd)) {
        isMine = begin(fd, path, stat.ino);
        return isMine ? { [Symbol.dispose]: () => end(fd, options.isTemporary ? path : undefined) } : undefined;
      }
      isSupported ??= canLockBeside(path, flock);
      const now = performance.now();
      if (locked?.ino !== stat.ino) locked = { ino: stat.ino, since: now };
      if (now - locked.since > STRANGER_AFTER_MS && !hasHolder(fd)) replace(path, stat.ino, () => hasHolder(fd));
      return undefined;
    } finally {
      if (!isMine) closeSync(fd);
    }
  };
}

/** Undefined if it has to be tried again. */
function openLock(path: string, isTemporary: boolean): number | undefined {
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  try {
    return openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isTemporary && code === "EISDIR") return void removeAbandoned(path);
    if (!isTemporary || (code !== "ELOOP" && code !== "EACCES")) throw error;
    // A link that came with a repository, or a file of another user. In the user's folder, neither is in the way for long.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw error;
    if (Math.abs(Date.now() - found.mtimeMs) > IN_THE_WAY_MS) rmSync(path, { force: true });
    return undefined;
  }
}

/** Another program's lock may be a folder. */
function removeAbandoned(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || Math.abs(Date.now() - found.mtimeMs) < ABANDONED_MS) return;
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty, so it is something else; or it is gone.
  }
}

/**
 * The order matters: a holder names itself, then looks for a process that replaces the file; that one announces itself,
 * then looks for a holder. So one of them sees the other.
 */
function begin(fd: number, path: string, ino: number): boolean {
  const holder = `${process.pid} ${processSpace()}\n`;
  ftruncateSync(fd);
  writeSync(fd, holder, 0);
  const isReplaced = lstatSync(path, { throwIfNoEntry: false })?.ino !== ino || isBeingReplaced(path, ino);
  if (isReplaced) ftruncateSync(fd);
  return !isReplaced;
}

/** Who waits for a file that is removed finds that another is in its place, or none, and begins again. */
function end(fd: number, temporary: string | undefined): void {
  if (temporary === undefined) ftruncateSync(fd);
  else if (lstatSync(temporary, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino)
    rmSync(temporary, { force: true });
  closeSync(fd);
}

function hasHolder(fd: number): boolean {
  const bytes = Buffer.alloc(64);
  const text = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString("latin1");
  const [pid, space] = text.trim().split(" ");
  // The ids of another container mean nothing here. The kernel says that the file is locked, and that has to do.
  if (space && space !== processSpace()) return true;
  return isRunning({ pid: Number(pid), procStart: "" });
}

/** Where the process ids are valid: containers have their own. */
function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
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
