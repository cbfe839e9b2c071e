// Reads the current branch from .git without running git, so nothing the repository configures can run.

import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

const MAX_BYTES = 4096;

/** "" outside a repository; "HEAD" if no branch is checked out. */
export function gitBranch(cwd: string): string {
  const folder = findGitFolder(resolve(cwd));
  const head = folder && firstLineOf(join(folder, "HEAD"));
  if (!head) return "";
  if (!head.startsWith("ref:")) return "HEAD";
  const name = head.slice("ref:".length).trim();
  return name.startsWith("refs/heads/") ? name.slice("refs/heads/".length) : name;
}

function findGitFolder(from: string): string | null {
  for (let at = from; ; at = dirname(at)) {
    const candidate = join(at, ".git");
    const stat = lstatSync(candidate, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return candidate;
    if (stat?.isFile()) return readGitFile(candidate);
    if (dirname(at) === at) return null;
  }
}

/** In worktrees and submodules, .git is a file with the path of the real folder. */
export function readGitFile(file: string): string | null {
  const line = firstLineOf(file);
  if (!line?.startsWith("gitdir:")) return null;
  return resolve(dirname(file), line.slice("gitdir:".length).trim());
}

export function firstLineOf(path: string): string | null {
  try {
    return new TextDecoder().decode(readRegularFile(path, MAX_BYTES)).split("\n", 1)[0]!.trim();
  } catch {
    return null;
  }
}
