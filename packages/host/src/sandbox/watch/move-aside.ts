// Guarded names that no mount can hold, because nothing is there or a link is. What a command put there is moved aside,
// never deleted, and reported.

import { readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { randomHex } from "../../random.ts";
import { lstatOrNull, readLink } from "../guarded/stat.ts";

const ASIDE = ".set-aside-";

/** A name beside this one for what has to go from here. */
export function asidePath(path: string): string {
  return `${path}${ASIDE}${randomHex(4)}`;
}

/** Moves what a command put there out of the way, and says so. */
export function moveAside(path: string): string {
  const aside = asidePath(path);
  try {
    renameSync(path, aside);
    return `A command wrote '${path}', which is protected: it was moved to '${aside}'.`;
  } catch (error) {
    return `A command wrote '${path}', which is protected, and it could not be moved away: ${(error as Error).message}`;
  }
}

export function restoreLink(path: string, target: string): string {
  const told = lstatOrNull(path)
    ? moveAside(path)
    : `'${path}', a protected link, was removed by a command and put back.`;
  try {
    symlinkSync(target, path);
  } catch {
    // Something new is there already, or the folder is gone; the sentence says what was seen.
  }
  return told;
}

export function isLinkChanged(path: string, target: string): boolean {
  return readLink(path) !== target;
}

/** What is in a folder, other than what we moved aside ourselves. */
export function folderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.includes(ASIDE));
  } catch {
    return [];
  }
}

/** Hooks in a repository that a command made: git runs all of them but the samples it puts there itself. */
export function activeHooks(repository: string): readonly string[] {
  const folder = join(repository, "hooks");
  return folderNames(folder)
    .filter((name) => !name.endsWith(".sample"))
    .map((name) => join(folder, name));
}
