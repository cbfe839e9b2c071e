// The files a snapshot was made from, and whether they are still the same. Costs one stat for each.

import { statSync } from "node:fs";
import type { Snapshot } from "./snapshot.ts";

/** A file that was read or looked for, and how it looked then. */
export interface Source {
  readonly path: string;
  readonly stamp: string;
}

/** Whether any of its files has appeared, gone or been written since. */
export function changed(snapshot: Pick<Snapshot, "sources">): boolean {
  return snapshot.sources.some(({ path, stamp }) => stampOf(path) !== stamp);
}

/** Take it before reading: what is written in between then counts as a change. */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "absent" : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}`;
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`;
  }
}
