// Creates files for people to start from. Never overwrites one, and never writes where a link of a repository leads.

import { closeSync, constants, existsSync, openSync, realpathSync, writeSync } from "node:fs";
import { dirname, sep } from "node:path";

/** Where the folder really is, or its nearest parent that exists, if that is outside. */
export function leadsOut(folder: string, top: string): string | undefined {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  const real = realpathSync(nearest);
  const root = realpathSync(top);
  return real === root || real.startsWith(root + sep) ? undefined : real;
}

/** Throws if there is one already. */
export function writeNew(file: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(file, flags, 0o644);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
