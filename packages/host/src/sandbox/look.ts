// Looks at a path without opening it. Whatever is in the way (no such file, a file where a folder should be, a folder
// that is not ours) means: nothing is there for a command either.

import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

export function look(path: string): Stats | null {
  return quietly(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

/** Through links. */
export function lookThrough(path: string): Stats | null {
  return quietly(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

export function isFolder(path: string): boolean {
  return look(path)?.isDirectory() === true;
}

export function realPath(path: string): string | null {
  return quietly(() => realpathSync(path));
}

/** The folders on the way to a path that are links themselves. */
export function linksOnTheWay(path: string): readonly string[] {
  const folder = dirname(path);
  if (folder === path || realPath(folder) === folder) return [];
  const above = linksOnTheWay(folder);
  return readLink(folder) === null ? above : [...above, folder];
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
