// Guards the programs that run outside the shield. The folders above them stay ordinary: package managers rename and link
// in and out of them, so they are moved back if a command moves them, and not mounted.

import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import type { Guard } from "./guarded.ts";
import { realPath } from "./stat.ts";

/** Returns the folders that must stay in place. `held` are kept in place already. */
export function guardPrograms(paths: readonly string[], guard: Guard, held: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    guard(path, "missingFiles");
    for (const start of [dirname(path), dirname(realPath(path) ?? path)]) {
      for (let at = realPath(start) ?? start; at !== dirname(at) && !folders.has(at); at = dirname(at)) folders.add(at);
    }
  }
  return [...folders].filter((folder) => !held.includes(folder) && isWritable(dirname(folder)));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
