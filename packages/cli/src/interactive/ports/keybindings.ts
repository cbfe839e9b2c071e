// The user's keybindings.json.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";

export interface KeybindingsFile {
  readonly path: string;
  /** Undefined if there is none. */
  readonly text: string | undefined;
}

export function readKeybindings({ configDir }: Pick<Snapshot, "configDir">): KeybindingsFile {
  const path = join(configDir, "keybindings.json");
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch {
    return { path, text: undefined };
  }
}
