export { openCheckpoints, type CheckpointOptions, type Checkpoints, type RewindResult } from "./checkpoints.ts";
export { readFileHistory } from "./past.ts";
export { pruneFileHistory } from "./prune.ts";
