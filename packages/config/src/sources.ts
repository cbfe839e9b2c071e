// The files a snapshot was made from, and whether they changed since. Costs one stat per file.

import { statSync } from "node:fs";
import { fileStamp } from "@keelson/protocol";
import type { Snapshot } from "./snapshot.ts";

/** A file that was read or missing, with its stamp at that time. */
export interface Source {
  readonly path: string;
  readonly stamp: string;
}

/** Whether any file was created, deleted or written since. */
export function changed(snapshot: Pick<Snapshot, "sources">): boolean {
  return snapshot.sources.some(({ path, stamp }) => stampOf(path) !== stamp);
}

/** Take the stamp before reading the file, so a write in between is noticed. */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "absent" : fileStamp(stat);
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`;
  }
}
