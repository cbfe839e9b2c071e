// What a path is right now, with a stamp to notice changes later.

import { statSync } from "node:fs";
import { fileStamp } from "@keelson/protocol";

export interface InstructionStamp {
  /** A broken link is `none`. */
  readonly kind: "none" | "file" | "folder" | "other";
  readonly stamp: string;
}

/** Follows links. A path without permission to stat is `other`. */
export function sight(path: string): InstructionStamp {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return NONE;
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
    return { kind, stamp: fileStamp(stat) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return code === "ENOTDIR" || code === "ENOENT" ? NONE : { kind: "other", stamp: code };
  }
}

const NONE: InstructionStamp = { kind: "none", stamp: "absent" };
