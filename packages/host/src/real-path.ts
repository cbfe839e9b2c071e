// A path with every link resolved, also where its end does not exist yet.

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Resolves the part that exists; what does not is appended as it stands. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}
