// What only some sessions need, loaded when it is called.

import type { openCheckpoints as OpenCheckpoints } from "./checkpoints.ts";
import type { pruneFileHistory as PruneFileHistory } from "./checkpoints/prune.ts";

export const openCheckpoints = async (
  options: Parameters<typeof OpenCheckpoints>[0],
): Promise<ReturnType<typeof OpenCheckpoints>> => (await import("./checkpoints.ts")).openCheckpoints(options);

export const pruneFileHistory = async (
  options: Parameters<typeof PruneFileHistory>[0],
): Promise<ReturnType<typeof PruneFileHistory>> => (await import("./checkpoints/prune.ts")).pruneFileHistory(options);
