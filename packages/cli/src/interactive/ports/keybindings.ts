// The user's keybindings.json.

import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { readUserFile } from "@keelson/disk/own-files";

export interface KeybindingsFile {
  readonly path: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

const MOST_BYTES = 4 * 1024 * 1024;

export function readKeybindings({ configDir }: Pick<Snapshot, "configDir">): KeybindingsFile {
  const path = join(configDir, "keybindings.json");
  return { path, text: readUserFile(path, MOST_BYTES)?.toString() };
}
