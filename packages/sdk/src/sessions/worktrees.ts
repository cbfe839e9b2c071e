// The other worktrees of a directory's git repository, read from git's own files. Starting git would be slow, and would
// run programs that the repository's settings name.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Without the directory's own worktree, and without deleted ones. */
export function worktreesOf(dir: string): string[] {
  const top = topOf(resolve(dir));
  if (top === undefined) return [];
  const common = commonDirOf(join(top, ".git"));
  if (common === undefined) return [];
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const linked = namesIn(join(common, "worktrees")).flatMap((name) => {
    const gitFile = firstLine(join(common, "worktrees", name, "gitdir"));
    return gitFile === undefined ? [] : [dirname(resolve(common, "worktrees", name, gitFile))];
  });
  return [...main, ...linked].filter((tree) => tree !== top && existsSync(tree));
}

function topOf(dir: string): string | undefined {
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * In the main worktree, `.git` is a folder. In the others it is a file that names their folder, which names the common
 * one.
 */
function commonDirOf(git: string): string | undefined {
  if (statSync(git, { throwIfNoEntry: false })?.isDirectory()) return git;
  const own = /^gitdir: (.+)$/.exec(firstLine(git) ?? "")?.[1];
  if (own === undefined) return undefined;
  const gitDir = resolve(dirname(git), own);
  const common = firstLine(join(gitDir, "commondir"));
  return common === undefined ? undefined : resolve(gitDir, common);
}

function firstLine(path: string): string | undefined {
  try {
    if (statSync(path).size > 64 * 1024) return undefined;
    return readFileSync(path, "utf8").split("\n")[0]!.trim() || undefined;
  } catch {
    return undefined;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
