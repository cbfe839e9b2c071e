export {
  openCheckpoints,
  storedOriginals,
  type CheckpointOptions,
  type Checkpoints,
  type FileRestore,
  type OriginalFile,
  type RewindOptions,
  type RewindResult,
} from "./checkpoints.ts";
export { fileState } from "./file-state.ts";
export { readFileHistory } from "./past.ts";
export { pruneFileHistory } from "./prune.ts";
