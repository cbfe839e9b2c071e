// Which repository a folder belongs to, read from git's own files; no git is started. A worktree belongs to its main
// repository only if that repository says so too: a `.git` file alone claims, it does not prove.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readWholeFile } from "../scopes/read.ts";

/** The root of the main repository; of a folder in none, the folder itself. */
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
    const pointer = join(worktree, ".git");
    const named = lineOf(pointer)?.match(/^gitdir: (.+)$/)?.[1];
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

const MAX_POINTER = 64 * 1024;

function lineOf(path: string): string | undefined {
  const text = readWholeFile(path, MAX_POINTER);
  return typeof text === "string" ? text.split(/\r?\n/, 1)[0]!.trim() : undefined;
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
