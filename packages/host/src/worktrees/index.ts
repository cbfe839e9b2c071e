export { createWorktree, type CreateWorktreeOptions, type Worktree } from "./create.ts";
export { findCheckout, registeredWorktrees, verifiedWorktree, type Checkout } from "./repository/checkout.ts";
export { WorktreeError } from "./errors.ts";
export { branchName, generateName, nameProblem } from "./names.ts";
export { isOurs, pathFor } from "./repository/place.ts";
export { describeChanges, removeWorktree, type RemoveWorktreeOptions } from "./remove.ts";
export type { GitEnvironment } from "./repository/safe-git.ts";
export { isUnchanged, worktreeState, type WorktreeState } from "./state.ts";
export { sweepStale, type SweepOptions, type SweepReport } from "./sweep.ts";
