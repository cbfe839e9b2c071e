// Empty folders created where a guarded folder is missing, so there is something to mount over while a command runs.
// Several sessions may use the same one: each holds a shared lock, which the kernel releases if the session is killed,
// and the last one removes the folder. A folder that is no longer empty is kept.

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  type Stats,
} from "node:fs";
import { loadLibc } from "../../programs/libc.ts";
import { lstatOrNull } from "../guarded/stat.ts";

export interface StandIns {
  /** Creates the folder if missing. Null if it cannot be created, because then a command cannot create it either. */
  hold(path: string): Promise<HeldStandIn | null>;
  /** Call before looking what is there: releases those that something was put into. */
  releaseUsed(): void;
  /** Releases those that are kept for the next command. */
  releaseAll(): void;
}

export interface HeldStandIn {
  readonly path: string;
  /** Only the first call counts. */
  release(): void;
}

/** Set atomically when the folder is created, so every session can tell a stand-in from a user's folder. */
const MARK = 0o1000;
const LOCK_SHARED = 1;
const LOCK_EXCLUSIVE = 2;
const LOCK_NON_BLOCKING = 4;
/** An exclusive lock lasts only while a session removes the folder. If it lasts longer, it is not ours. */
const TRIES = 100;

/** One that we locked. */
interface Locked extends HeldStandIn {
  /** Whether it is still at its path, with nothing in it. */
  isUnused(): boolean;
}

/** To create and remove one for each of several commands in a row would take a large part of their time. */
const KEEP_MS = 100;

/** `onUse` is called once per path, because the folder must be removed even if we are killed. */
export function createStandIns(onUse: (path: string) => void, keepMs = KEEP_MS): StandIns {
  const reported = new Set<string>();
  const kept = new Map<string, Locked>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Start now, so it is ready when the trial of the shield is.
  const loading = loadLock();

  function keep(held: Locked): void {
    if (kept.has(held.path) || keepMs === 0) return held.release();
    kept.set(held.path, held);
    clearTimeout(timer);
    timer = setTimeout(releaseAll, keepMs).unref();
  }

  function releaseAll(): void {
    clearTimeout(timer);
    for (const held of kept.values()) held.release();
    kept.clear();
  }

  function releaseUsed(): void {
    for (const [path, held] of kept) {
      if (held.isUnused()) continue;
      kept.delete(path);
      held.release();
    }
  }

  function untilKept(held: Locked): HeldStandIn {
    let isReleased = false;
    return {
      path: held.path,
      release() {
        if (!isReleased) keep(held);
        isReleased = true;
      },
    };
  }

  async function take(path: string): Promise<Locked | HeldStandIn | null> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (!ensureFolder(path)) return null;
      const held = lockStandIn(path, await loading);
      if (held === "busy") await Bun.sleep(1);
      else if (held !== "gone") return held;
    }
    return { path, release() {} };
  }

  return {
    releaseUsed,
    releaseAll,
    async hold(path) {
      releaseUsed();
      const before = kept.get(path);
      if (before) {
        kept.delete(path);
        return untilKept(before);
      }
      if (!reported.has(path)) onUse(path);
      reported.add(path);
      const held = await take(path);
      return held && "isUnused" in held ? untilKept(held) : held;
    },
  };
}

export function isStandIn(entry: Stats): boolean {
  return entry.isDirectory() && (entry.mode & MARK) !== 0;
}

type Lock = (fd: number, operation: number) => boolean;

async function loadLock(): Promise<Lock> {
  const libc = await loadLibc({ flock: { args: ["i32", "i32"], returns: "i32" } });
  // Without flock no exclusive lock succeeds, so the folder stays.
  return (fd, operation) => (libc ? libc.flock(fd, operation | LOCK_NON_BLOCKING) === 0 : operation === LOCK_SHARED);
}

function ensureFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: MARK | 0o755 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}

function lockStandIn(path: string, lock: Lock): Locked | HeldStandIn | "gone" | "busy" | null {
  const entry = lstatOrNull(path);
  if (!entry) return "gone";
  // A link cannot be mounted over.
  if (entry.isSymbolicLink()) return null;
  // It belongs to the user by now, or to another user: it exists, and we must not remove it.
  const asItIs = { path, release() {} };
  if (!isStandIn(entry)) return asItIs;
  let fd: number;
  try {
    fd = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : asItIs;
  }
  const isLocked = lock(fd, LOCK_SHARED);
  if (isLocked && isAt(path, fd)) {
    return {
      path,
      isUnused: () => isAt(path, fd) && isEmpty(path),
      release: () => releaseStandIn(path, fd, lock),
    };
  }
  closeSync(fd);
  return isLocked ? "gone" : "busy";
}

/** The last session removes it. While we hold an exclusive lock, no other session can start using it. */
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

/** It is in use now, so make it an ordinary folder. */
function unmark(path: string): void {
  try {
    chmodSync(path, lstatOrNull(path)!.mode & 0o777);
  } catch {
    // It belongs to another user; the next check will find it in use too.
  }
}

function isAt(path: string, fd: number): boolean {
  const [there, held] = [lstatOrNull(path), fstatSync(fd)];
  return there?.ino === held.ino && there.dev === held.dev && isStandIn(there);
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}
