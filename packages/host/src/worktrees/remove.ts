// Removes a worktree. Uncommitted files, commits that nothing else contains and work in progress are deleted only if the
// caller asks for it.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { registeredWorktrees, verifiedWorktree, findCheckout, type Checkout } from "./repository/checkout.ts";
import { RETRIES } from "./create.ts";
import { WorktreeError } from "./errors.ts";
import { readUserFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { isOwnerRunning, readLock } from "./repository/owner.ts";
import { deleteOurFiles } from "./fill/our-files.ts";
import { checkWorktreesFolder, isOurs } from "./repository/place.ts";
import { openSafeGit, type GitEnvironment, type SafeGit } from "./repository/safe-git.ts";
import { isUnchanged, ownCommits, stateOf, type WorktreeState } from "./state.ts";

export interface RemoveWorktreeOptions extends GitEnvironment {
  /** A folder of the main checkout. */
  readonly root: string;
  readonly path: string;
  readonly branch: string;
  /** Also delete uncommitted files and commits. */
  readonly force?: boolean;
}

export interface RemovedWorktree {
  /** The branch had no commits of its own, or they were given up. */
  readonly branchDeleted: boolean;
}

/** Throws WorktreeError of the kind `changed` if something would be lost. */
export async function removeWorktree(options: RemoveWorktreeOptions): Promise<RemovedWorktree> {
  const checkout = findCheckout(options.root);
  return removeWith(await openSafeGit(checkout, options), options);
}

export async function removeWith(
  git: SafeGit,
  { path, branch, force = false }: Pick<RemoveWorktreeOptions, "path" | "branch" | "force">,
): Promise<RemovedWorktree> {
  const { checkout } = git;
  checkWorktreesFolder(checkout);
  if (!isOurs(checkout, path)) {
    throw new WorktreeError(
      "refused",
      `'${path}' is not one of the worktrees in .claude/worktrees; remove it with git worktree remove`,
    );
  }
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  // Git would remove the worktree that a link leads to.
  if (isThere && realPathOf(path) !== path) {
    throw new WorktreeError("refused", `'${path}' is reached through a link; remove the link`);
  }
  const tip = (await git.ask(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]))?.trim();
  if (isThere) await deleteFolder(git, { path, branch, force });
  else await forget(git, path);
  if (tip === undefined) return { branchDeleted: false };
  const isFree = force || (await ownCommits(git, { branch, tips: [tip] })) === 0;
  if (!isFree || isCheckedOut(checkout, branch)) return { branchDeleted: false };
  // Only if it is still at this commit.
  const deleted = await git.ask(["update-ref", "-d", `refs/heads/${branch}`, tip]);
  return { branchDeleted: deleted !== undefined };
}

/** What keeps a worktree from being removed. */
export function describeChanges({ files, commits, inProgress, submodules }: WorktreeState, branch: string): string {
  const parts = [
    ...(files.length > 0 ? [`${files.length} uncommitted ${files.length === 1 ? "file" : "files"}`] : []),
    ...(commits > 0 ? [`${commits} ${commits === 1 ? "commit" : "commits"} on ${branch}`] : []),
    ...inProgress.map((what) => `a ${what} in progress`),
    ...(submodules.length > 0 ? ["checked out submodules"] : []),
  ];
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

async function deleteFolder(git: SafeGit, { path, branch, force }: { path: string; branch: string; force: boolean }) {
  const { checkout } = git;
  const state = await stateOf(git, { path, branch });
  if (!force && !isUnchanged(state)) {
    throw new WorktreeError("changed", `Worktree has ${describeChanges(state, branch)}`);
  }
  const own = verifiedWorktree(path)!;
  const lock = readLock(own.gitFolder);
  if (lock?.owner && isOwnerRunning(lock.owner) && lock.owner.pid !== process.pid) {
    throw new WorktreeError("refused", `'${path}' is in use: ${lock.reason}`);
  }
  const inside = git.inside({ gitFolder: own.gitFolder, path });
  const untracked = await inside.run(["ls-files", "-z", "--others", "--exclude-standard"]);
  deleteOurFiles(checkout.root, path, untracked.split("\0").filter(Boolean));
  if (lock !== undefined) await git.ask(["worktree", "unlock", path]);
  // Without --force, git itself looks once more for changes.
  await git.run(["worktree", "remove", ...(force ? ["--force"] : []), path], { retries: 3 });
}

/** Only what git remembers is left of it. */
async function forget(git: SafeGit, path: string): Promise<void> {
  const known = registeredWorktrees(git.checkout).find((each) => each.path === path);
  if (known === undefined) return;
  if (readLock(known.gitFolder) !== undefined) await git.ask(["worktree", "unlock", path]);
  await git.run(["worktree", "remove", path], { retries: RETRIES });
}

function isCheckedOut(checkout: Checkout, branch: string): boolean {
  const folders = [checkout.common, ...registeredWorktrees(checkout).map(({ gitFolder }) => gitFolder)];
  return folders.some((folder) => headOf(folder) === `ref: refs/heads/${branch}`);
}

function headOf(gitFolder: string): string | undefined {
  return readUserFile(join(gitFolder, "HEAD"), 64 * 1024)
    ?.toString()
    .trim();
}
