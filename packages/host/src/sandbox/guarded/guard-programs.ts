// Guards the programs that run outside the shield. The folders above them stay ordinary: package managers rename and link
// in and out of them, so they are moved back if a command moves them, and not mounted.

import { dirname } from "node:path";
import type { Guard } from "./guarded.ts";
import { isWritable, lstatOrNull, realPath, statThroughLinks, type FolderLookup } from "./stat.ts";

interface ProgramGuard {
  readonly guard: Guard;
  readonly links: Set<string>;
  readonly lookAt: FolderLookup;
  /** Kept in place already. */
  readonly held: readonly string[];
}

/** Returns the folders that must stay in place. */
export function guardPrograms(
  paths: readonly string[],
  { guard, links, lookAt, held }: ProgramGuard,
): readonly string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    const isLink = lstatOrNull(path)?.isSymbolicLink() === true;
    // A link to a folder must lead there; what else is in the folder may change.
    if (isLink && statThroughLinks(path)?.isDirectory()) links.add(path);
    else guard(path, "missingFiles");
    parents.add(dirname(path));
    if (isLink) parents.add(dirname(realPath(path) ?? path));
  }
  const folders = new Set<string>();
  for (const parent of parents)
    for (let at = lookAt(parent).real ?? parent; at !== dirname(at) && !folders.has(at); at = dirname(at))
      folders.add(at);
  return [...folders].filter((folder) => !held.includes(folder) && isWritable(dirname(folder)));
}
