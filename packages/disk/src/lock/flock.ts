// flock of the C library, which neither Bun nor Node offers.

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
  // About 1 ms, only when something needs it.
  const { dlopen } = await import("bun:ffi");
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
