// Finds the repository of a folder from git's files, without starting git. A worktree belongs to a repository only if the
// repository lists it, because anyone can write a `.git` file.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readWholeFile } from "../../scopes/read.ts";

/** The root of the main repository; outside a repository, the folder itself. */
export function repositoryRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const stat = look(join(folder, ".git"));
    if (stat?.isDirectory()) return folder;
    if (stat?.isFile()) return mainRoot(folder) ?? folder;
    if (dirname(folder) === folder) return cwd;
  }
}

function mainRoot(worktree: string): string | undefined {
  try {
    const link = join(worktree, ".git");
    const named = lineOf(link)?.match(/^gitdir: (.+)$/)?.[1];
    if (named === undefined) return undefined;
    const entry = realpathSync(resolve(worktree, named));
    const back = lineOf(join(entry, "gitdir"));
    const common = lineOf(join(entry, "commondir"));
    if (back === undefined || common === undefined) return undefined;

    const repository = realpathSync(resolve(entry, common));
    const isRegistered = entry === join(repository, "worktrees", basename(entry));
    const pointsBack = realpathSync(resolve(entry, back)) === join(realpathSync(worktree), ".git");
    if (!isRegistered || !pointsBack) return undefined;
    return basename(repository) === ".git" ? dirname(repository) : repository;
  } catch {
    return undefined;
  }
}

const MAX_LINK = 64 * 1024;

function lineOf(path: string): string | undefined {
  const text = readWholeFile(path, MAX_LINK);
  return typeof text === "string" ? text.split(/\r?\n/, 1)[0]!.trim() : undefined;
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
