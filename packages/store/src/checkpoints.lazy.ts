// Functions that only some sessions need; each one is loaded when it is called.

import type { openCheckpoints as OpenCheckpoints } from "./checkpoints/checkpoints.ts";
import type { readFileHistory as ReadFileHistory } from "./checkpoints/past.ts";
import type { pruneFileHistory as PruneFileHistory } from "./checkpoints/prune.ts";

export const loadHookTrace = () => import("./hook-trace.ts");

export const openCheckpoints = async (
  options: Parameters<typeof OpenCheckpoints>[0],
): Promise<ReturnType<typeof OpenCheckpoints>> =>
  (await import("./checkpoints/checkpoints.ts")).openCheckpoints(options);

export const pruneFileHistory = async (
  options: Parameters<typeof PruneFileHistory>[0],
): Promise<ReturnType<typeof PruneFileHistory>> => (await import("./checkpoints/prune.ts")).pruneFileHistory(options);

export const readFileHistory = async (path: string): Promise<ReturnType<typeof ReadFileHistory>> =>
  (await import("./checkpoints/past.ts")).readFileHistory(path);
