// The files outside a project that its instruction files would include. They are read only to find this out.

import type { Snapshot } from "@keelson/config";

/** Absolute paths. Empty if there is nothing to ask. */
export async function externalIncludes(snapshot: Snapshot): Promise<readonly string[]> {
  const { listInstructions } = await import("@keelson/runtime");
  const { set } = await listInstructions(snapshot);
  return [...new Set(set.leftOut.filter(({ external }) => external).map(({ path }) => path))];
}
