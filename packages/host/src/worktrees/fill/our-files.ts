// What we put into a worktree ourselves, so no one would miss it: links to folders of the main checkout, and copies
// that are still the same.

import { lstatSync, readlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../../files/regular-file.ts";

/** Settings of this checkout only, which git ignores by convention: their rules must hold in the worktree too. */
export const ALWAYS_COPIED: readonly string[] = [".claude/settings.local.json"];

const MAX_BYTES = 1024 * 1024;

export function isOurFile(root: string, path: string, file: string): boolean {
  try {
    const [here, there] = [join(path, file), join(root, file)];
    if (lstatSync(here).isSymbolicLink()) return readlinkSync(here) === there;
    if (!ALWAYS_COPIED.includes(file)) return false;
    return Buffer.from(readRegularFile(here, MAX_BYTES)).equals(readRegularFile(there, MAX_BYTES));
  } catch {
    return false;
  }
}

/** Deletes those of these files that are ours: git would take them for work. */
export function deleteOurFiles(root: string, path: string, files: readonly string[]): void {
  for (const file of files) if (isOurFile(root, path, file)) unlinkSync(join(path, file));
}
