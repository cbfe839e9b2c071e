// The files outside a project that its instruction files would include, and that the user was not asked about. They are read
// only to find this out.

import type { Snapshot } from "@keelson/config";

/** Real paths. Empty if there is nothing to ask. */
export async function externalIncludes(snapshot: Snapshot): Promise<readonly string[]> {
  const { outsideIncludes } = await import("@keelson/runtime");
  const { includeAnswers } = await import("@keelson/config/instructions");
  const { approved, refused } = includeAnswers(snapshot);
  return (await outsideIncludes(snapshot)).filter((real) => !approved.includes(real) && !refused.includes(real));
}
