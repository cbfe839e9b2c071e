// Files that another user may have left for others to find.

import { statSync } from "node:fs";

const ROOT = 0;
const STICKY_AND_OPEN = 0o1002;

/** In folders such as `/tmp`, anyone can leave a file or a `.claude` for people who work in subfolders. */
export function isPlanted(folder: string, owner: number, uid: number | undefined): boolean {
  if (uid === undefined || owner === uid || owner === ROOT) return false;
  return (statSync(folder).mode & STICKY_AND_OPEN) === STICKY_AND_OPEN;
}
