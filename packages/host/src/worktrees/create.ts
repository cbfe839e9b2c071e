// Makes a worktree, or takes up one that is already there: branch first, then git's worktree, locked from its first
// moment, then what git does not bring. What was made is undone if a later step fails.

import { lstatSync } from "node:fs";
import { withFileLock } from "@keelson/disk/lock";
import { findCheckout, registeredWorktrees, verifiedWorktree } from "./repository/checkout.ts";
import { WorktreeError } from "./errors.ts";
import { unfilteredFiles } from "./fill/filters.ts";
import { copyIncluded } from "./fill/include.ts";
import { linkDirectories } from "./fill/links.ts";
import { holdFolder } from "../files/held-folder.ts";
import { branchName, folderName, worktreeNameProblem } from "./names.ts";
import { isOwnerRunning, lockReason, ownProcess, readLock, writeLock } from "./repository/owner.ts";
import { makeWorktreesFolder, pathFor, worktreesFolder } from "./repository/place.ts";
import { openSafeGit, type GitEnvironment, type SafeGit } from "./repository/safe-git.ts";
import { ownCommits } from "./state.ts";
import { claim } from "./use.ts";

export interface CreateWorktreeOptions extends GitEnvironment {
  /** A folder of the repository. */
  readonly root: string;
  readonly name: string;
  /** `fresh`: the remote's main branch; `head`: what is checked out. */
  readonly baseRef: "fresh" | "head";
  /** Folders of the main checkout that the worktree shares by links. */
  readonly symlinkDirectories?: readonly string[];
  /** Only these folders are checked out. */
  readonly sparsePaths?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** The commit that is checked out. */
  readonly base: string;
  /** The top of the main checkout. */
  readonly root: string;
  /** It was there before. */
  readonly isExisting: boolean;
  /** What is different from what one would expect. */
  readonly notices: readonly string[];
}

/** How often a step is tried again when another process works on the same repository. */
export const RETRIES = 20;

export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  const problem = worktreeNameProblem(options.name);
  if (problem !== undefined) throw new WorktreeError("refused", problem);
  const checkout = findCheckout(options.root);
  const git = await openSafeGit(checkout, options);
  makeWorktreesFolder(checkout);
  using folder = holdFolder(worktreesFolder(checkout));
  // One process at a time for one name: the branch and the worktree are made in several steps.
  const lock = folder.at(`.${folderName(options.name)}.lock`);
  return await withFileLock(lock, () => createLocked(git, options), { isTemporary: true, patienceMs: 60_000 });
}

async function createLocked(git: SafeGit, options: CreateWorktreeOptions): Promise<Worktree> {
  const { checkout } = git;
  const path = pathFor(checkout, options.name);
  const branch = branchName(options.name);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined) return takeUp(git, path, branch);
  await forgetMissing(git, path);
  const from = await baseOf(git, options.baseRef);
  const { base, isNew } = await claimBranch(git, branch, from);
  const undo: (() => Promise<unknown>)[] = [];
  if (isNew) undo.push(() => git.ask(["update-ref", "-d", `refs/heads/${branch}`, base]));
  try {
    const gitFolder = await add(git, path, branch, options, undo);
    const filtered = await unfilteredFiles(
      git.inside({ gitFolder, path }),
      { path, common: checkout.common },
      options.signal,
    );
    const copied = await copyIncluded(git, path, options.signal);
    const linked = linkDirectories(checkout.root, path, options.symlinkDirectories ?? []);
    writeLock(gitFolder, ownProcess());
    return { path, branch, base, root: checkout.root, isExisting: false, notices: [...filtered, ...copied, ...linked] };
  } catch (error) {
    // The worktree first: its branch is checked out there.
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

/** The worktree of an earlier session, unless someone else uses it. */
async function takeUp(git: SafeGit, path: string, branch: string): Promise<Worktree> {
  const { checkout } = git;
  const gitFolder = claim(checkout, path);
  const base = await git.inside({ gitFolder, path }).run(["rev-parse", "--verify", "HEAD^{commit}"]);
  return { path, branch, base: base.trim(), root: checkout.root, isExisting: true, notices: [] };
}

/** Git refuses to make a worktree where it remembers a deleted one. */
async function forgetMissing(git: SafeGit, path: string): Promise<void> {
  const known = registeredWorktrees(git.checkout).find((each) => each.path === path);
  if (known === undefined) return;
  const lock = readLock(known.gitFolder);
  if (lock !== undefined && (lock.owner === undefined || isOwnerRunning(lock.owner))) {
    throw new WorktreeError(
      "refused",
      `'${path}' was deleted but is still locked: ${lock.reason}; choose another name`,
    );
  }
  if (lock !== undefined) await git.ask(["worktree", "unlock", path]);
  await git.run(["worktree", "remove", path], { retries: RETRIES });
}

async function baseOf(git: SafeGit, baseRef: "fresh" | "head"): Promise<string> {
  const remote = ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"];
  for (const ref of [...(baseRef === "fresh" ? remote : []), "HEAD"]) {
    const commit = await git.ask(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
    if (commit !== undefined) return commit.trim();
  }
  throw new WorktreeError("repository", "The repository has no commits yet; make one first");
}

interface Claim {
  readonly base: string;
  /** This process has made the branch, so no one else uses it. */
  readonly isNew: boolean;
}

/** A branch that is left from an earlier worktree keeps its commits: then the new worktree continues it. */
async function claimBranch(git: SafeGit, branch: string, base: string): Promise<Claim> {
  const ref = `refs/heads/${branch}`;
  const none = "0".repeat(base.length);
  const isMade = await git.ask(["update-ref", "-m", "worktree: created", ref, base, none]);
  if (isMade !== undefined) return { base, isNew: true };
  const tip = (await git.ask(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]))?.trim();
  if (tip === undefined) {
    // Another process held the lock of the branches.
    await git.run(["update-ref", "-m", "worktree: created", ref, base, none], { retries: RETRIES });
    return { base, isNew: true };
  }
  if ((await ownCommits(git, { branch, tips: [tip] })) > 0) return { base: tip, isNew: false };
  await git.run(["update-ref", "-m", "worktree: moved to its base", ref, base, tip], { retries: RETRIES });
  return { base, isNew: false };
}

/** Returns the git folder of the new worktree. */
async function add(
  git: SafeGit,
  path: string,
  branch: string,
  { signal, sparsePaths = [] }: CreateWorktreeOptions,
  undo: (() => Promise<unknown>)[],
): Promise<string> {
  const folders = sparsePaths.map(sparseFolder);
  const isSparse = folders.length > 0;
  const lock = ["--lock", "--reason", lockReason(ownProcess(), "making")];
  const words = ["worktree", "add", "--quiet", ...lock, ...(isSparse ? ["--no-checkout"] : []), path, branch];
  // If it fails, git removes what it has made. It may fail because another process makes the same worktree.
  await git.run(words, { retries: RETRIES, signal });
  undo.push(() => git.ask(["worktree", "remove", "--force", "--force", path]));
  const own = verifiedWorktree(path);
  if (own === undefined) throw new WorktreeError("git", `git created '${path}', but did not register it`);
  if (isSparse) {
    const inside = git.inside({ gitFolder: own.gitFolder, path });
    await inside.run(["sparse-checkout", "set", "--cone", "--end-of-options", ...folders], {
      retries: RETRIES,
      signal,
    });
    await inside.run(["read-tree", "-mu", "HEAD"], { retries: RETRIES, signal });
  }
  return own.gitFolder;
}

function sparseFolder(path: string): string {
  const folder = path.replace(/^(?:\.?\/)+|\/+$/g, "");
  if (folder !== "" && !folder.split("/").includes("..") && !folder.startsWith("-")) return folder;
  throw new WorktreeError("refused", `"${path}" in worktree.sparsePaths is not a folder inside the repository`);
}
