// What a worktree holds that would be lost with it: uncommitted files, commits that nothing else reaches, and work in
// progress. What is unknown counts as work: every question to git has a
// non-empty answer, because a failure with no output would look like a worktree without changes.

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
  const [files, index, tips] = await Promise.all([
    changedFiles(inside, git.checkout, path),
    indexOf(inside),
    tipsOf(inside, branch),
  ]);
  return {
    files: [...new Set([...files, ...unseenFiles(index, path)])],
    commits: await ownCommits(git, { branch, tips }),
    inProgress: IN_PROGRESS.filter(([name]) => exists(join(gitFolder, name))).map(([, what]) => what),
    submodules: populatedSubmodules(index, gitFolder, path),
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
  const count = (await git.run(words)).trim();
  return /^\d+$/.test(count) ? Number(count) : unanswered("how many commits there are");
}

/** What is checked out, and the worktree's branch, which may be elsewhere by now. */
async function tipsOf(inside: SafeGit, branch: string | undefined): Promise<string[]> {
  const refs = ["HEAD", ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const found = await Promise.all(refs.map((ref) => commitOf(inside, ref)));
  return [...new Set(found.filter((commit) => commit !== undefined))];
}

/** Undefined if git says that there is no such reference, or no commit on it yet. */
async function commitOf(inside: SafeGit, ref: string): Promise<string | undefined> {
  try {
    const commit = (await inside.run(["show-ref", "--verify", "--hash", ref])).trim();
    return /^[0-9a-f]{40,64}$/.test(commit) ? commit : unanswered(`where ${ref} is`);
  } catch (error) {
    if (error instanceof WorktreeError && error.message.endsWith("- not a valid ref")) return undefined;
    throw error;
  }
}

async function changedFiles(inside: SafeGit, { root }: Checkout, path: string): Promise<string[]> {
  const about = ["--porcelain", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all"];
  const status = await inside.run(["status", ...about, "--ignore-submodules=dirty", "--no-renames"]);
  const [header, ...lines] = status.split("\0");
  if (!header!.startsWith("## ")) unanswered("what has changed");
  const changed = lines.filter((line) => line !== "");
  return changed
    .filter((line) => !(line.startsWith("?? ") && isOurFile(root, path, line.slice(3))))
    .map((line) => line.slice(3));
}

interface IndexEntry {
  /** Upper case, or lower case if git was told not to look. */
  readonly tag: string;
  readonly mode: string;
  readonly name: string;
}

async function indexOf(inside: SafeGit): Promise<readonly IndexEntry[]> {
  const entries = (await inside.run(["ls-files", "-v", "--stage", "-z"])).split("\0").flatMap((line) => {
    const [, tag, mode, name] = /^(.) (\d+) \S+ \d\t(.+)$/s.exec(line) ?? [];
    return name === undefined ? [] : [{ tag: tag!, mode: mode!, name }];
  });
  if (entries.length > 0) return entries;
  const tree = (await inside.run(["rev-parse", "--verify", "HEAD^{tree}"])).trim();
  return EMPTY_TREES.includes(tree) ? [] : unanswered("which files it tracks");
}

const EMPTY_TREES = [
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/** Git does not look at these, whatever they contain. Those that a sparse checkout leaves out are not there. */
const unseenFiles = (index: readonly IndexEntry[], path: string): readonly string[] =>
  index
    .filter(({ tag, name }) => /[a-z]/.test(tag) || (tag === "S" && exists(join(path, name))))
    .map(({ name }) => name);

function populatedSubmodules(index: readonly IndexEntry[], gitFolder: string, path: string): string[] {
  const links = index.flatMap(({ mode, name }) => (mode === "160000" ? [name] : []));
  const checkedOut = links.filter((link) => exists(join(path, link, ".git")));
  return checkedOut.length === 0 && namesIn(join(gitFolder, "modules")).length > 0 ? ["modules"] : checkedOut;
}

function unanswered(what: string): never {
  throw new WorktreeError("git", `git did not say ${what}`);
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
