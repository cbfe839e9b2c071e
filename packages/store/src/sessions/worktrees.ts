// The other worktrees of a directory's git repository, read from git's own files. Starting git would be slow, and would
// run programs that the repository's settings name.

import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUserFile } from "@keelson/disk/own-files";

/**
 * Without the directory's own worktree, and without deleted ones. None if the repository does not name the directory:
 * anyone can write a `.git` file, and would get the conversations of another repository.
 */
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
 * one and the `.git` file.
 */
function commonDirOf(git: string): string | undefined {
  const stat = lstatSync(git, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return existsSync(join(git, "commondir")) ? undefined : git;
  if (!stat?.isFile()) return undefined;
  const own = /^gitdir: (.+)$/.exec(firstLine(git) ?? "")?.[1];
  if (own === undefined) return undefined;
  const gitDir = resolve(dirname(git), own);
  const [common, back] = [firstLine(join(gitDir, "commondir")), firstLine(join(gitDir, "gitdir"))];
  if (common === undefined || back === undefined || !isSame(resolve(gitDir, back), git)) return undefined;
  const folder = resolve(gitDir, common);
  return isSame(join(folder, "worktrees", basename(gitDir)), gitDir) ? folder : undefined;
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

function firstLine(path: string): string | undefined {
  return (
    readUserFile(path, 64 * 1024)
      ?.toString()
      .split("\n")[0]!
      .trim() || undefined
  );
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
