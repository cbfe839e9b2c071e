// Looks at a path without opening it. Whatever is in the way (no such file, a file where a folder should be, a folder
// that is not ours) means: nothing is there for a command either.

import { lstatSync, realpathSync, statSync, type Stats } from "node:fs";

export function look(path: string): Stats | null {
  return quietly(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

/** Through links. */
export function lookThrough(path: string): Stats | null {
  return quietly(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

export function realPath(path: string): string | null {
  return quietly(() => realpathSync(path));
}

function quietly<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
