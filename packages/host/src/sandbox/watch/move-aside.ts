// Handles guarded paths that cannot be mounted because they are missing or a link. What a command creates there is moved
// aside and reported, never deleted.

import { chmodSync, readdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomHex } from "../../random.ts";
import { lstatOrNull, readLink } from "../guarded/stat.ts";

const ASIDE = ".set-aside-";

export function asidePath(path: string): string {
  return `${path}${ASIDE}${randomHex(4)}`;
}

/** Does something in a folder, or to a file, that a command may have made read-only. */
export function makingWritable(path: string, change: () => void): void {
  try {
    return change();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
  const { mode } = statSync(path);
  chmodSync(path, mode | 0o700);
  try {
    change();
  } finally {
    chmodSync(path, mode);
  }
}

/** Moves what a command created out of the way. Returns a sentence about it. */
export function moveAside(path: string): string {
  const aside = asidePath(path);
  try {
    makingWritable(dirname(path), () => renameSync(path, aside));
    return `A command wrote '${path}', which is protected: it was moved to '${aside}'.`;
  } catch (error) {
    return `A command wrote '${path}', which is protected, and it could not be moved away: ${(error as Error).message}`;
  }
}

export function restoreLink(path: string, target: string): string {
  const note = lstatOrNull(path)
    ? moveAside(path)
    : `'${path}', a protected link, was removed by a command and restored.`;
  try {
    makingWritable(dirname(path), () => symlinkSync(target, path));
  } catch {
    // Something new is already there, or the folder is gone.
  }
  return note;
}

export function isLinkChanged(path: string, target: string): boolean {
  return readLink(path) !== target;
}

/** The names in a folder, except those we moved aside. */
export function folderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.includes(ASIDE));
  } catch {
    return [];
  }
}

/** Hooks in a repository that a command created: git runs all of them except its samples. */
export function activeHooks(repository: string): readonly string[] {
  const folder = join(repository, "hooks");
  return folderNames(folder)
    .filter((name) => !name.endsWith(".sample"))
    .map((name) => join(folder, name));
}
