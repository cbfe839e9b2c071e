// Reloads settings that changed on disk. If they cannot be read, the old ones stay in effect.

import { ConfigError, reload, type Snapshot } from "@keelson/config";

/** The same snapshot if they cannot be read. Prints new warnings only. */
export function reloaded(snapshot: Snapshot, warn: (text: string) => void): Snapshot {
  try {
    const next = reload(snapshot);
    for (const warning of next.warnings) if (!snapshot.warnings.includes(warning)) warn(warning);
    return next;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    warn(`The changed settings cannot be used; the previous ones stay in effect: ${error.message}`);
    return snapshot;
  }
}
