// A fingerprint of a folder, to tell later whether anything in it has changed. For worktrees of another system than git,
// which only its own tools can ask.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const MAX_ENTRIES = 200_000;

/** Undefined if there are too many files, or some that cannot be read. */
export function folderStamp(folder: string): string | undefined {
  const hasher = new Bun.CryptoHasher("sha256");
  const open = [""];
  let count = 0;
  try {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const name of readdirSync(join(folder, at)).toSorted()) {
        if (++count > MAX_ENTRIES) return undefined;
        const path = join(at, name);
        const { mode, size, mtimeMs, ctimeMs, ino } = lstatSync(join(folder, path));
        const isFolder = (mode & 0o170000) === 0o040000;
        if (isFolder) open.push(path);
        // A folder changes with its entries, which are listed themselves.
        hasher.update(JSON.stringify(isFolder ? [path, mode] : [path, mode, size, mtimeMs, ctimeMs, ino]));
      }
    }
    return hasher.digest("hex");
  } catch {
    return undefined;
  }
}
