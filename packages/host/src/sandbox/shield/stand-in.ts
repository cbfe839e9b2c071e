// Empty folders that stand where a guarded folder is missing, so that there is something to mount over while a command
// runs. Any number of sessions may need the same one: each holds a shared lock on it, which the system takes back from
// whoever is killed, and the last to leave removes it. One that something came into meanwhile is kept.

import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, rmdirSync, type Stats } from "node:fs";
import { loadLibc } from "../../programs/libc.ts";
import { lstatOrNull } from "../guarded/stat.ts";

export interface StandIns {
  /** Makes those that are missing. Null where nothing can be made, and so by no command either. */
  hold(path: string): Promise<HeldStandIn | null>;
}

export interface HeldStandIn {
  readonly path: string;
  release(): void;
}

/** Set when the folder is made, in one step, so that every session knows a stand-in from a folder of the user's. */
const MARK = 0o1000;
const LOCK_SHARED = 1;
const LOCK_EXCLUSIVE = 2;
const LOCK_NON_BLOCKING = 4;
/** Whoever holds one alone is about to remove it, which takes no time. Somebody who goes on holding is none of ours. */
const TRIES = 100;

/** `onUse` is told of each path once: it may have to be removed after our death. */
export function createStandIns(onUse: (path: string) => void): StandIns {
  const told = new Set<string>();
  // Begun now, it is done by the time the trial of the shield is.
  const loading = loadLock();
  return {
    async hold(path) {
      const locking = await loading;
      if (!told.has(path)) onUse(path);
      told.add(path);
      for (let tries = 0; tries < TRIES; tries++) {
        if (!ensureFolder(path)) return null;
        const held = lockStandIn(path, locking);
        if (held === "busy") await Bun.sleep(1);
        else if (held !== "gone") return held;
      }
      return { path, release() {} };
    },
  };
}

export function isStandIn(entry: Stats): boolean {
  return entry.isDirectory() && (entry.mode & MARK) !== 0;
}

type Lock = (fd: number, operation: number) => boolean;

async function loadLock(): Promise<Lock> {
  const libc = await loadLibc({ flock: { args: ["i32", "i32"], returns: "i32" } });
  // Without locks nobody is ever alone: what was made stays.
  return (fd, operation) => (libc ? libc.flock(fd, operation | LOCK_NON_BLOCKING) === 0 : operation === LOCK_SHARED);
}

/** Makes it if need be. */
function ensureFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: MARK | 0o755 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}

function lockStandIn(path: string, lock: Lock): HeldStandIn | "gone" | "busy" | null {
  const entry = lstatOrNull(path);
  if (!entry) return "gone";
  // A link cannot be mounted over.
  if (entry.isSymbolicLink()) return null;
  // The user's own by now; or another user's, closed to us: it is there, and not for us to remove.
  const asItIs = { path, release() {} };
  if (!isStandIn(entry)) return asItIs;
  let fd: number;
  try {
    fd = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : asItIs;
  }
  const isLocked = lock(fd, LOCK_SHARED);
  if (isLocked && isAt(path, fd)) return { path, release: () => releaseStandIn(path, fd, lock) };
  closeSync(fd);
  return isLocked ? "gone" : "busy";
}

/** The last one removes it. While we hold it alone nobody else can begin to use it. */
function releaseStandIn(path: string, fd: number, lock: Lock): void {
  try {
    if (lock(fd, LOCK_EXCLUSIVE) && isAt(path, fd)) remove(path);
  } finally {
    closeSync(fd);
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "EEXIST") unmark(path);
  }
}

/** Somebody uses it now: from here on it is a folder like others. */
function unmark(path: string): void {
  try {
    chmodSync(path, lstatOrNull(path)!.mode & 0o777);
  } catch {
    // Another user's. Whoever looks at it again will find it in use again.
  }
}

function isAt(path: string, fd: number): boolean {
  const [there, held] = [lstatOrNull(path), fstatSync(fd)];
  return there?.ino === held.ino && there.dev === held.dev && isStandIn(there);
}
