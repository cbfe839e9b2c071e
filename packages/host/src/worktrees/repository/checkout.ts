// The main checkout of a folder's repository, and its registered worktrees, read from git's own files. A worktree counts
// only if the repository names it and it names the repository: anyone can write a `.git` file.

import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseGitConfig } from "@keelson/engine/git-keys";
import { firstLineOf, readGitFile } from "../../git/branch.ts";
import { findRepositories } from "../../git/discovery.ts";
import { realPathOf } from "@keelson/disk/real-path";
import { readRegularFile } from "../../files/regular-file.ts";
import { WorktreeError } from "../errors.ts";

export interface Checkout {
  /** The top of the main checkout. */
  readonly root: string;
  /** The repository's own folder, shared by all worktrees. */
  readonly common: string;
}

export interface RegisteredWorktree {
  readonly path: string;
  /** The folder with HEAD and index of this worktree, inside the repository. */
  readonly gitFolder: string;
  /** The folder is there and names the repository. */
  readonly isComplete: boolean;
}

/** Throws WorktreeError outside a repository, and where git's files contradict each other. */
export function findCheckout(cwd: string): Checkout {
  const found = findRepositories(cwd).at(-1);
  if (!found?.gitFolder)
    throw new WorktreeError("repository", `'${cwd}' is not in a git repository; run git init first`);
  const { folder, gitFolder, isBare } = found;
  if (isBare) throw new WorktreeError("repository", `'${folder}' is a bare repository; start in one of its worktrees`);
  const entry = join(folder, ".git");
  const isPlain = lstatSync(entry).isDirectory() && gitFolder === entry && !exists(join(entry, "commondir"));
  if (isPlain) return withoutLinks({ root: folder, common: gitFolder });
  const own = verifiedWorktree(folder);
  if (own !== undefined) {
    const { common } = own;
    return withoutLinks({ root: basename(common) === ".git" ? dirname(common) : folder, common });
  }
  if (lstatSync(entry).isFile() && isSubmoduleOf(gitFolder, folder)) {
    return withoutLinks({ root: folder, common: gitFolder });
  }
  throw new WorktreeError(
    "repository",
    `'${entry}' leads to '${gitFolder}', which does not lead back; ` +
      `for a worktree that was moved, run git worktree repair; otherwise run git config core.worktree '${folder}'`,
  );
}

/** The checkout that this folder is in, which may be a worktree; undefined outside a repository. */
export function checkoutAround(cwd: string): string | undefined {
  return findRepositories(cwd).at(-1)?.folder;
}

/** Git would write through these, and so into another place than the repository. */
function withoutLinks(checkout: Checkout): Checkout {
  for (const name of ["worktrees", "refs", "refs/heads", "logs", "logs/refs", "logs/refs/heads"]) {
    const path = join(checkout.common, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new WorktreeError("repository", `'${path}' is a link, so no worktree can be created in this repository`);
    }
  }
  return checkout;
}

/** The repository of a worktree, if both name each other. */
export function verifiedWorktree(path: string): { readonly gitFolder: string; readonly common: string } | undefined {
  const entry = join(path, ".git");
  if (!lstatSync(entry, { throwIfNoEntry: false })?.isFile()) return undefined;
  const named = readGitFile(entry);
  const gitFolder = named === null ? undefined : realPathOf(named);
  const shared = gitFolder && firstLineOf(join(gitFolder, "commondir"));
  if (!gitFolder || !shared) return undefined;
  const common = realPathOf(resolve(gitFolder, shared));
  const isRegistered = gitFolder === join(common, "worktrees", basename(gitFolder));
  return isRegistered && pathOf(gitFolder) === realPathOf(path) ? { gitFolder, common } : undefined;
}

/** The folders outside a worktree that git writes when one works in it. Not the settings, nor HEAD and index of others. */
export function gitWrites(path: string): readonly string[] {
  const own = verifiedWorktree(path);
  if (own === undefined) return [];
  return [own.gitFolder, ...["objects", "refs", "logs"].map((name) => join(own.common, name))];
}

/** All worktrees that the repository names, except the main checkout. */
export function registeredWorktrees({ common }: Pick<Checkout, "common">): RegisteredWorktree[] {
  const folder = join(common, "worktrees");
  return namesIn(folder).flatMap((name) => {
    const gitFolder = join(folder, name);
    const path = pathOf(gitFolder);
    return path === undefined ? [] : [{ path, gitFolder, isComplete: verifiedWorktree(path)?.gitFolder === gitFolder }];
  });
}

/** Where the repository says this worktree is. */
function pathOf(gitFolder: string): string | undefined {
  const named = firstLineOf(join(gitFolder, "gitdir"));
  return named ? realPathOf(dirname(resolve(gitFolder, named))) : undefined;
}

/** The repository of a submodule names the submodule's folder. */
function isSubmoduleOf(gitFolder: string, folder: string): boolean {
  try {
    const text = new TextDecoder().decode(readRegularFile(join(gitFolder, "config"), 1024 * 1024));
    const named = parseGitConfig(text).settings.findLast(({ name }) => name === "core.worktree")?.value;
    return typeof named === "string" && realPathOf(resolve(gitFolder, named)) === realPathOf(folder);
  } catch {
    return false;
  }
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
