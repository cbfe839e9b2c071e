// How a path looks right now: one look tells what it is and, later, whether it is still the same.

import { statSync } from "node:fs";

export interface InstructionStamp {
  /** `none` also for a link that leads nowhere. */
  readonly kind: "none" | "file" | "folder" | "other";
  readonly stamp: string;
}

/** Links are followed. What cannot be looked at is there, and is nothing we read. */
export function sight(path: string): InstructionStamp {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return NONE;
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
    return { kind, stamp: `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}` };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" || code === "ENOENT" ? NONE : { kind: "other", stamp: code };
  }
}

const NONE: InstructionStamp = { kind: "none", stamp: "absent" };
