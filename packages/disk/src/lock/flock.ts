// flock of the C library, which neither Bun nor Node offers.

import type * as FFIModule from "bun:ffi";
import { closeSync, openSync, rmSync } from "node:fs";
import { cLibraryNames } from "../c-library.ts";

export type Flock = (fd: number) => boolean;

const EXCLUSIVE = 2;
const NON_BLOCKING = 4;

let loaded: Promise<Flock | null> | undefined;

/** Locks an open file, or returns false if another has it. Null on systems without flock. */
export function loadFlock(): Promise<Flock | null> {
  return (loaded ??= load());
}

async function load(): Promise<Flock | null> {
  // In an application that uses the SDK: Node has no such module, and bundlers for Node would fail on an import of it.
  if (process.versions["bun"] === undefined) return null;
  // About 1 ms, only when something needs it.
  const { dlopen } = process.getBuiltinModule("bun:ffi") as typeof FFIModule;
  for (const name of cLibraryNames()) {
    try {
      const { symbols } = dlopen(name, { flock: { args: ["i32", "i32"], returns: "i32" } });
      return (fd) => symbols.flock(fd, EXCLUSIVE | NON_BLOCKING) === 0;
    } catch {
      continue;
    }
  }
  return null;
}

/**
 * Whether a new file beside this one can be locked. Some file systems can lock none; where they can, a file that cannot be
 * locked is locked by another process. Throws if there can be no new file.
 */
export function canLockBeside(path: string, flock: Flock): boolean {
  const probe = `${path}.${crypto.randomUUID()}.probe`;
  const fd = openSync(probe, "wx", 0o600);
  try {
    return flock(fd);
  } finally {
    closeSync(fd);
    rmSync(probe, { force: true });
  }
}
