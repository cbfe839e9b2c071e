// Adds flags from a client to those of the command line.

import type { Flags, Snapshot } from "@keelson/config";

/** The flags stay in effect when files change and the snapshot is made again. */
export function withFlags(snapshot: Snapshot, more: Flags): Snapshot {
  const flags = { ...snapshot.flags, ...more };
  return { ...snapshot, flags, origin: { ...snapshot.origin, flags: { ...snapshot.origin.flags, ...more } } };
}
