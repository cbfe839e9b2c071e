// Settings that changed on disk, taken over as a whole. What cannot be read leaves everything as it was.

import { changed, ConfigError, reload, type Snapshot } from "@keelson/config";

/** The same snapshot when nothing changed. New complaints are told once. */
export function reloadIfChanged(snapshot: Snapshot, warn: (text: string) => void): Snapshot {
  if (!changed(snapshot)) return snapshot;
  try {
    const next = reload(snapshot);
    for (const warning of next.warnings) if (!snapshot.warnings.includes(warning)) warn(warning);
    return next;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    warn(`The settings changed and cannot be used as they are now; those from before stay: ${error.message}`);
    return snapshot;
  }
}
