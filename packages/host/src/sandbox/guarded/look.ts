// Looks at a path without opening it. Whatever is in the way (no such file, a file where a folder should be, a folder
// that is not ours) means: nothing is there for a command either.

import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";

export function statOrNull(path: string): Stats | null {
  return quietly(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

/** Through links. */
export function lookThrough(path: string): Stats | null {
  return quietly(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

/** The same for every name of a file. */
export const inodeOf = ({ dev, ino }: Stats) => `${dev}:${ino}`;

export function isFolder(path: string): boolean {
  return statOrNull(path)?.isDirectory() === true;
}

export function realPath(path: string): string | null {
  return quietly(() => realpathSync(path));
}

export interface FolderLook {
  /** With links resolved; null when there is no such folder. */
  readonly real: string | null;
  /** Those of its parts that are links. */
  readonly links: readonly string[];
}

/** Remembers folders: many names are looked for in few of them. To be used for one moment only. */
export function folderLooks(): (folder: string) => FolderLook {
  const known = new Map<string, FolderLook>();
  const lookAt = (folder: string): FolderLook => {
    let found = known.get(folder);
    if (!found) known.set(folder, (found = fresh(folder)));
    return found;
  };
  const fresh = (folder: string): FolderLook => {
    const parent = dirname(folder);
    if (parent === folder) return { real: folder, links: [] };
    const above = lookAt(parent);
    const entry = above.real === null ? null : statOrNull(folder);
    if (!entry) return { real: null, links: above.links };
    if (!entry.isSymbolicLink()) return { real: join(above.real!, basename(folder)), links: above.links };
    return { real: realPath(folder), links: [...above.links, folder] };
  };
  return lookAt;
}

export function readLink(path: string): string | null {
  return quietly(() => readlinkSync(path));
}

function quietly<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
