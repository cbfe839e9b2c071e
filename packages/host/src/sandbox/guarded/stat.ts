// Looks at a path without opening it. Whatever is in the way (no such file, a file where a folder should be, a folder
// that is not ours) means: nothing is there for a command either.

import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";

export function lstatOrNull(path: string): Stats | null {
  return nullOnError(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

/** Through links. */
export function statThroughLinks(path: string): Stats | null {
  return nullOnError(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

export function isFolder(path: string): boolean {
  return lstatOrNull(path)?.isDirectory() === true;
}

export function realPath(path: string): string | null {
  return nullOnError(() => realpathSync(path));
}

export interface ResolvedFolder {
  /** With links resolved; null when there is no such folder. */
  readonly real: string | null;
  /** Those of its parts that are links. */
  readonly links: readonly string[];
}

/** Remembers folders: many names are looked for in few of them. To be used for one moment only. */
export function createFolderLookup(): (folder: string) => ResolvedFolder {
  const known = new Map<string, ResolvedFolder>();
  const lookAt = (folder: string): ResolvedFolder => {
    let found = known.get(folder);
    if (!found) known.set(folder, (found = fresh(folder)));
    return found;
  };
  const fresh = (folder: string): ResolvedFolder => {
    const parent = dirname(folder);
    if (parent === folder) return { real: folder, links: [] };
    const above = lookAt(parent);
    const entry = above.real === null ? null : lstatOrNull(folder);
    if (!entry) return { real: null, links: above.links };
    if (!entry.isSymbolicLink()) return { real: join(above.real!, basename(folder)), links: above.links };
    return { real: realPath(folder), links: [...above.links, folder] };
  };
  return lookAt;
}

export function readLink(path: string): string | null {
  return nullOnError(() => readlinkSync(path));
}

function nullOnError<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
