// Takes up a worktree that is already there, and gives it back. While it is used it is locked, and no other process of
// ours takes it.

import { lstatSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { gitBranch } from "../git/branch.ts";
import { realPathOf } from "@keelson/disk/real-path";
import type { Worktree } from "./create.ts";
import { WorktreeError } from "./errors.ts";
import { findCheckout, verifiedWorktree, type Checkout } from "./repository/checkout.ts";
import { isOwnerRunning, ownProcess, readLock, writeLock } from "./repository/owner.ts";
import { isOurs } from "./repository/place.ts";
import { openSafeGit, type GitEnvironment } from "./repository/safe-git.ts";

export interface UseWorktreeOptions extends GitEnvironment {
  /** A folder of the repository. */
  readonly root: string;
  readonly path: string;
}

/** Throws WorktreeError if it is no worktree of the repository, or in use. */
export async function useWorktree(options: UseWorktreeOptions): Promise<Worktree & { readonly isOurs: boolean }> {
  const checkout = findCheckout(options.root);
  const { path } = options;
  const gitFolder = claim(checkout, path);
  const git = await openSafeGit(checkout, options);
  const head = await git.inside({ gitFolder, path }).run(["rev-parse", "--verify", "HEAD^{commit}"]);
  const ours = isOurs(checkout, path);
  const branch = ours ? `worktree-${basename(path)}` : gitBranch(path);
  return { path, branch, base: head.trim(), root: checkout.root, isExisting: true, notices: [], isOurs: ours };
}

/** Locks it and returns its git folder. A lock that a person has set stays. */
export function claim(checkout: Checkout, path: string): string {
  const own = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? verifiedWorktree(path) : undefined;
  if (own?.common !== checkout.common || realPathOf(path) !== path) {
    throw new WorktreeError(
      "refused",
      `'${path}' is not a worktree of this repository; choose one that git worktree list shows`,
    );
  }
  const lock = readLock(own.gitFolder);
  if (lock?.owner && isOwnerRunning(lock.owner) && lock.owner.pid !== process.pid) {
    throw new WorktreeError("refused", `'${path}' is in use: ${lock.reason}`);
  }
  if (lock?.isUnfinished) {
    throw new WorktreeError(
      "refused",
      `'${path}' was not fully created; remove it with git worktree remove --force --force`,
    );
  }
  if (lock === undefined || lock.owner) writeLock(own.gitFolder, ownProcess());
  return own.gitFolder;
}

/** Removes our lock. Does nothing if the worktree is gone, or the lock is not ours. */
export function releaseWorktree(path: string): void {
  const own = verifiedWorktree(path);
  if (own === undefined || readLock(own.gitFolder)?.owner?.pid !== process.pid) return;
  unlinkSync(join(own.gitFolder, "locked"));
}
