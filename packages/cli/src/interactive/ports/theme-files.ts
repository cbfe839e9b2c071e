// The user's themes: JSON files in the folder "themes" of the configuration.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";

const ENDING = ".json";

/** The texts by file name without the ending. Files that cannot be read are left out. */
export function readThemeFiles({ configDir }: Pick<Snapshot, "configDir">): Readonly<Record<string, string>> {
  const folder = join(configDir, "themes");
  return Object.fromEntries(
    filesIn(folder)
      .filter((file) => file.endsWith(ENDING))
      .flatMap((file) => {
        const text = textOf(join(folder, file));
        return text === undefined ? [] : [[file.slice(0, -ENDING.length), text]];
      }),
  );
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
