export {
  openCheckpoints,
  type CheckpointOptions,
  type Checkpoints,
  type FileRestore,
  type RewindOptions,
  type RewindResult,
} from "./checkpoints.ts";
export { readFileHistory } from "./past.ts";
export { pruneFileHistory } from "./prune.ts";
