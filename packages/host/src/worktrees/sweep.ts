// Cleans up after processes that ended without doing it: locks of dead owners, metadata of deleted worktrees, and
// unchanged worktrees that no one has used for a long time. Everything else is left, and listed.

import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { holdExistingFolder } from "../files/held-folder.ts";
import { findCheckout, registeredWorktrees, type Checkout, type RegisteredWorktree } from "./repository/checkout.ts";
import { WorktreeError } from "./errors.ts";
import { isOwnerRunning, readLock } from "./repository/owner.ts";
import { checkWorktreesFolder, isOurs, worktreesFolder } from "./repository/place.ts";
import { describeChanges, removeWith } from "./remove.ts";
import { openSafeGit, type GitEnvironment, type SafeGit } from "./repository/safe-git.ts";
import { isUnchanged, stateOf } from "./state.ts";

export interface SweepOptions extends GitEnvironment {
  readonly root: string;
  /** Unchanged worktrees older than this are removed. */
  readonly maxAgeMs: number;
  readonly now: number;
}

export interface SweepReport {
  readonly removed: readonly string[];
  /** Worktrees that no running process uses, and why they stay. */
  readonly left: readonly { readonly path: string; readonly branch: string; readonly why: string }[];
}

/** Git may still be at work for a moment after its parent was killed. */
const UNFINISHED_MS = 10 * 60_000;

export async function sweepStale(options: SweepOptions): Promise<SweepReport> {
  const checkout = findCheckout(options.root);
  removeOldLocks(checkout, options.now);
  const ours = registeredWorktrees(checkout).filter(({ path }) => isOurs(checkout, path));
  if (ours.length === 0) return { removed: [], left: [] };
  const git = await openSafeGit(checkout, options);
  const removed: string[] = [];
  const left: { path: string; branch: string; why: string }[] = [];
  for (const worktree of ours) {
    const { path } = worktree;
    const branch = `worktree-${basename(path)}`;
    const why = await sweepOne(git, worktree, branch, options).catch((error: unknown) => {
      if (error instanceof WorktreeError) return error.message;
      throw error;
    });
    if (why === undefined) removed.push(path);
    else if (why !== IN_USE) left.push({ path, branch, why });
  }
  return { removed, left };
}

/** The files that `createWorktree` locks a name with, left by processes that were killed. */
function removeOldLocks(checkout: Checkout, now: number): void {
  checkWorktreesFolder(checkout);
  const path = worktreesFolder(checkout);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  using folder = holdExistingFolder(path);
  for (const name of readdirSync(path).filter((each) => /^\..+\.lock$/.test(each))) {
    const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
    if (stat?.isFile() && now - stat.mtimeMs > UNFINISHED_MS) rmSync(folder.at(name), { force: true });
  }
}

const IN_USE = "in use";

/** Why it stays; undefined if it was removed. */
async function sweepOne(
  git: SafeGit,
  { path, gitFolder, isComplete }: RegisteredWorktree,
  branch: string,
  { now, maxAgeMs }: SweepOptions,
): Promise<string | undefined> {
  const lock = readLock(gitFolder);
  if (lock?.owner && isOwnerRunning(lock.owner)) return IN_USE;
  if (lock && !lock.owner) return `locked: ${lock.reason}`;
  const age = now - lastUse(gitFolder);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    await removeWith(git, { path, branch });
    return undefined;
  }
  if (!isComplete) return "its .git file does not name this repository";
  if (lock?.isUnfinished) {
    if (age < UNFINISHED_MS) return IN_USE;
    await finishIndex(git, gitFolder, path);
  } else {
    if (lock) await git.ask(["worktree", "unlock", path]);
    // Looking for changes takes git some time, and this runs beside a session.
    if (age < maxAgeMs) return "used lately";
  }
  const state = await stateOf(git, { path, branch });
  if (lock?.isUnfinished ? await holdsNothing(git, gitFolder, path, state.commits) : isUnchanged(state)) {
    await removeWith(git, { path, branch, force: lock?.isUnfinished });
    return undefined;
  }
  return describeChanges(state, branch);
}

/** Git writes the index last. Without one, every file would look deleted and new. */
async function finishIndex(git: SafeGit, gitFolder: string, path: string): Promise<void> {
  if (lstatSync(join(gitFolder, "index"), { throwIfNoEntry: false }) !== undefined) return;
  await git.inside({ gitFolder, path }).run(["read-tree", "HEAD"]);
}

/** Nothing but files that are still to be checked out is different. */
async function holdsNothing(git: SafeGit, gitFolder: string, path: string, commits: number): Promise<boolean> {
  const inside = git.inside({ gitFolder, path });
  const status = await inside.run(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]);
  return commits === 0 && status.split("\0").every((line) => line === "" || line.startsWith(" D "));
}

/** When something last happened in it. */
function lastUse(gitFolder: string): number {
  const times = ["HEAD", "index", "logs/HEAD", "locked"].map(
    (name) => lstatSync(join(gitFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}
