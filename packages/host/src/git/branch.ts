// The current branch, read from .git without starting git: no hook, alias or fsmonitor of the repository can run.

import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

const MAX_BYTES = 4096;

/** "" outside a repository; "HEAD" when no branch is checked out. */
export function gitBranch(cwd: string): string {
  const folder = findGitFolder(resolve(cwd));
  const head = folder && firstLine(join(folder, "HEAD"));
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

/** Worktrees and submodules have a file that says where the real folder is. */
export function readGitFile(file: string): string | null {
  const line = firstLine(file);
  if (!line?.startsWith("gitdir:")) return null;
  return resolve(dirname(file), line.slice("gitdir:".length).trim());
}

export function firstLine(path: string): string | null {
  try {
    return new TextDecoder().decode(readRegularFile(path, MAX_BYTES)).split("\n", 1)[0]!.trim();
  } catch {
    return null;
  }
}
