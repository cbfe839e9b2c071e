// Stats paths without throwing. If we cannot reach a path, a command cannot either, so any error means it is absent.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { throwIfStarved } from "../throw-if-starved.ts";

export function lstatOrNull(path: string): Stats | null {
  return nullOnError(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

export function statThroughLinks(path: string): Stats | null {
  return nullOnError(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

/** The same for every name of a file. */
export const inodeKey = ({ dev, ino }: Stats) => `${dev}:${ino}`;

export function isFolder(path: string): boolean {
  return lstatOrNull(path)?.isDirectory() === true;
}

export function realPath(path: string): string | null {
  return nullOnError(() => realpathSync(path));
}

/** For what is to be protected: throws a ToolError if it cannot be found out now. */
export function realPathOrThrow(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    throwIfStarved(error);
    return null;
  }
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export interface ResolvedFolder {
  /** With links resolved; null if the folder does not exist. */
  readonly real: string | null;
  /** The parts of its path that are links. */
  readonly links: readonly string[];
}

export type FolderLookup = (folder: string) => ResolvedFolder;

/** Caches folders, because many names are looked up in a few of them. Do not keep it: the disk changes. */
export function createFolderLookup(): FolderLookup {
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
    return { real: realPathOrThrow(folder), links: [...above.links, folder] };
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
