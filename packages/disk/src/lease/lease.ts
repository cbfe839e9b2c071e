// A lease: a file in which the process that owns something, such as a session, names itself. It is created before the owner
// writes anything and removed at the end. A process that is killed leaves it behind; `take.ts` sees that.

import { closeSync, readFileSync, readlinkSync, writeSync } from "node:fs";
import { createOwnFile, removeOwnFile } from "../own-files.ts";
import { isOpenAt } from "../real-path.ts";

/** What an owner says about itself. */
export interface LeaseFacts {
  /** For people: what kind of program it is. */
  readonly name: string;
  /** It will say later where it can be reached. */
  readonly listens?: boolean;
}

export interface Lease {
  readonly path: string;
  readonly fd: number;
  readonly isReleased: boolean;
  /** Adds to what the file says, if it can be written. */
  note(facts: object): void;
  release(): void;
}

/** Undefined if the file exists: see `takeLease`. Throws if it cannot be created or written. */
export function createLease(path: string, facts: LeaseFacts): Lease | undefined {
  let fd: number;
  try {
    fd = createOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  const lease = openLease(path, fd, facts);
  if (isOpenAt(fd, path)) return lease;
  // It was empty for so long that another process replaced it.
  lease.release();
  return undefined;
}

/** The file is new and empty. It may get to its path later. */
export function openLease(path: string, fd: number, facts: LeaseFacts): Lease {
  let isReleased = false;
  const write = (said: object) => writeSync(fd, `${JSON.stringify(said)}\n`);
  const note = (more: object) => {
    try {
      if (!isReleased) write(more);
    } catch {
      // The disk is full. What it says is enough.
    }
  };
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    try {
      if (isOpenAt(fd, path)) removeOwnFile(path);
    } catch {
      // The next owner finds that this one has ended.
    } finally {
      closeSync(fd);
    }
  };
  try {
    const own = { pid: process.pid, procStart: ownStart(), machine: thisMachine(), since: Date.now() };
    write({ ...own, ...facts });
  } catch (error) {
    release();
    throw error;
  }
  return {
    path,
    fd,
    note,
    release,
    get isReleased() {
      return isReleased;
    },
  };
}

const ownStart = () => startInStat(textOf("/proc/self/stat")) ?? "";

/** In `/proc/PID/stat`: the 20th field after the name, which is in brackets and may contain anything. */
export const startInStat = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];

/** Where process ids are valid: this start of this system, in this container. Empty where `/proc` does not say it. */
export function thisMachine(): string {
  try {
    return textOf("/proc/sys/kernel/random/boot_id").trim() + readlinkSync("/proc/self/ns/pid").slice("pid:".length);
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
