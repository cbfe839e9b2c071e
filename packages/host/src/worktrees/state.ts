// What a worktree holds that would be lost with it: uncommitted files, commits that nothing else reaches, and work in
// progress. Whatever is not known counts as work.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findCheckout, verifiedWorktree, type Checkout } from "./repository/checkout.ts";
import { WorktreeError } from "./errors.ts";
import { isOurFile } from "./fill/our-files.ts";
import { openSafeGit, type GitEnvironment, type SafeGit } from "./repository/safe-git.ts";

export interface WorktreeState {
  /** Changed, staged and new files, without ignored ones. */
  readonly files: readonly string[];
  /** Commits that no other branch, tag or remote branch contains. */
  readonly commits: number;
  /** What was begun and not ended: a merge, a rebase … */
  readonly inProgress: readonly string[];
  /** Checked out submodules. Their own repositories are deleted with the worktree. */
  readonly submodules: readonly string[];
}

export const isUnchanged = ({ files, commits, inProgress, submodules }: WorktreeState) =>
  files.length === 0 && commits === 0 && inProgress.length === 0 && submodules.length === 0;

export async function worktreeState(
  { path, branch }: { readonly path: string; readonly branch?: string },
  environment: GitEnvironment,
): Promise<WorktreeState> {
  const checkout = findCheckout(path);
  return stateOf(await openSafeGit(checkout, environment), { path, branch });
}

export async function stateOf(
  git: SafeGit,
  { path, branch }: { readonly path: string; readonly branch?: string },
): Promise<WorktreeState> {
  const own = verifiedWorktree(path);
  if (own?.common !== git.checkout.common) {
    throw new WorktreeError("repository", `'${path}' is not a worktree of '${git.checkout.root}'`);
  }
  const { gitFolder } = own;
  const inside = git.inside({ gitFolder, path });
  const [files, submodules, tips] = await Promise.all([
    changedFiles(inside, git.checkout, path),
    populatedSubmodules(inside, gitFolder, path),
    tipsOf(inside, branch),
  ]);
  return {
    files,
    commits: await ownCommits(git, { branch, tips }),
    inProgress: IN_PROGRESS.filter(([name]) => exists(join(gitFolder, name))).map(([, what]) => what),
    submodules,
  };
}

/** How many commits only these tips contain: no other branch, no tag, no remote, and not the main checkout. */
export async function ownCommits(
  git: SafeGit,
  { branch, tips }: { readonly branch?: string; readonly tips: readonly string[] },
): Promise<number> {
  if (tips.length === 0) return 0;
  // It may be detached.
  const main = (await git.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
  const others = [...(branch === undefined ? [] : [`--exclude=${branch}`]), "--branches", "--tags", "--remotes"];
  const words = ["rev-list", "--count", ...tips, "--not", ...(main === undefined ? [] : [main]), ...others];
  return Number((await git.run(words)).trim());
}

/** What is checked out, and the worktree's branch, which may be elsewhere by now. */
async function tipsOf(inside: SafeGit, branch: string | undefined): Promise<string[]> {
  const refs = ["HEAD", ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const found = await Promise.all(
    refs.map((ref) => inside.ask(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])),
  );
  return [...new Set(found.flatMap((commit) => (commit === undefined ? [] : [commit.trim()])))];
}

async function changedFiles(inside: SafeGit, { root }: Checkout, path: string): Promise<string[]> {
  const [status, flagged] = await Promise.all([
    inside.run(["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"]),
    inside.run(["ls-files", "-v", "-z"]),
  ]);
  const changed = status.split("\0").filter((line) => line !== "");
  const files = changed.filter((line) => !(line.startsWith("?? ") && isOurFile(root, path, line.slice(3))));
  // Git does not look at these, whatever they contain. Those that a sparse checkout leaves out are not there.
  const unseen = flagged.split("\0").flatMap((line) => {
    const name = line.slice(2);
    return /^[a-z] /.test(line) || (line.startsWith("S ") && exists(join(path, name))) ? [name] : [];
  });
  return [...new Set([...files.map((line) => line.slice(3)), ...unseen])];
}

async function populatedSubmodules(inside: SafeGit, gitFolder: string, path: string): Promise<string[]> {
  const staged = (await inside.run(["ls-files", "--stage", "-z"])).split("\0");
  const links = staged.flatMap((line) => /^160000 \S+ \d\t(.+)$/s.exec(line)?.[1] ?? []);
  const checkedOut = links.filter((link) => exists(join(path, link, ".git")));
  return checkedOut.length === 0 && namesIn(join(gitFolder, "modules")).length > 0 ? ["modules"] : checkedOut;
}

const IN_PROGRESS = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
  ["sequencer", "sequence of picks"],
] as const;

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
