// Flags that a client adds to those of the command line.

import type { Flags, Snapshot } from "@keelson/config";

/** A snapshot as if the command line had said this, too; it stays so when files change. */
export function withFlags(snapshot: Snapshot, more: Flags): Snapshot {
  const flags = { ...snapshot.flags, ...more };
  return { ...snapshot, flags, origin: { ...snapshot.origin, flags: { ...snapshot.origin.flags, ...more } } };
}
