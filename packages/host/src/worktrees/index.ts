export { createWorktree, type CreateWorktreeOptions, type Worktree } from "./create.ts";
export {
  findCheckout,
  gitWrites,
  registeredWorktrees,
  verifiedWorktree,
  type Checkout,
} from "./repository/checkout.ts";
export { WorktreeError } from "./errors.ts";
export { branchName, generateName, worktreeNameProblem } from "./names.ts";
export { isOurs, pathFor } from "./repository/place.ts";
export { describeChanges, removeWorktree, type RemoveWorktreeOptions } from "./remove.ts";
export type { GitEnvironment } from "./repository/safe-git.ts";
export { isUnchanged, worktreeState, type WorktreeState } from "./state.ts";
export { sweepStale, type SweepOptions, type SweepReport } from "./sweep.ts";
export { folderStamp } from "./fill/folder-stamp.ts";
export { releaseWorktree, useWorktree, type UseWorktreeOptions } from "./use.ts";
