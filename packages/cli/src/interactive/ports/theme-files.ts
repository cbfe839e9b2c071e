// The user's themes: JSON files in the folder "themes" of the configuration.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";

const ENDING = ".json";

/** The texts by file name without the ending. Files that cannot be read are left out. */
export function readThemeFiles({ configDir }: Pick<Snapshot, "configDir">): Readonly<Record<string, string>> {
  const folder = join(configDir, "themes");
  const found: Record<string, string> = {};
  try {
    for (const file of readdirSync(folder).toSorted()) {
      if (file.endsWith(ENDING)) found[file.slice(0, -ENDING.length)] = readFileSync(join(folder, file), "utf8");
    }
  } catch {
    // There is no such folder, or a file in it is unreadable: what was read so far is all there is.
  }
  return found;
}
