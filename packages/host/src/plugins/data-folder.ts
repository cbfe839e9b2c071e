// The data folder of a plugin: there before anything of the plugin runs.

import { mkdirSync } from "node:fs";

/** Makes the folder that `CLAUDE_PLUGIN_DATA` names, if the variable is set. */
export function makeDataFolder({ CLAUDE_PLUGIN_DATA: folder }: Readonly<Record<string, string>>): void {
  if (!folder) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The plugin finds out when it writes.
  }
}
