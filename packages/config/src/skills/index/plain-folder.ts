// Remembers that no folder in a large skills folder is a plugin, so that a start need not look into each of them.

import { statSync } from "node:fs";
import { join } from "node:path";
import { headerOf, indexStamp, readPrivate, type FileMark } from "./skill-index.ts";

/** In the user's config folder, next to the indexes. */
export function plainFile(configDir: string, folder: string): string {
  return join(configDir, "cache", "skills", `${Bun.hash(folder).toString(36)}.plain`);
}

export function plainRecord(folder: string, mark: FileMark): string {
  const body = JSON.stringify(indexStamp(mark));
  return `${headerOf(folder, body)}\n${body}`;
}

/** Whether nothing was a plugin when a session last looked, and no folder was added or removed since. */
export function isKnownPlain(configDir: string, folder: string, uid: number | undefined): boolean {
  const known = readPrivate(plainFile(configDir, folder), uid).toString("latin1");
  if (known === "") return false;
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && known === plainRecord(folder, stat);
}
