// Finds the repository git would use in a folder, the way git does: upwards, by `.git` or by the layout of a bare one.
// Reads file names and small files; never runs git.

import { readlinkSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { firstLineOf, readGitFile } from "./branch.ts";
import { realPathOf } from "@keelson/disk/real-path";

export interface FoundRepository {
  /** The top of the work tree, or the repository itself if it is bare. */
  readonly folder: string;
  /** The folder with HEAD and index of this work tree. Null if we cannot tell where `.git` leads. */
  readonly gitFolder: string | null;
  readonly isBare: boolean;
}

/**
 * Nearest first. Git uses the last one. The others look broken to us, but another version of git may accept them.
 */
export function findRepositories(from: string): readonly FoundRepository[] {
  const start = realPathOf(from);
  if (isFile(start)) return [fromGitFile(start)];
  const found: FoundRepository[] = [];
  for (let at = start; ; at = dirname(at)) {
    const own = repositoriesIn(at);
    found.push(...own);
    if (own.some(({ gitFolder }) => gitFolder !== null && isRepository(gitFolder)) || at === dirname(at)) return found;
  }
}

/** The repository that `.git` in this folder leads to, and the folder itself if it is a bare repository. */
export function repositoriesIn(folder: string): readonly FoundRepository[] {
  const entry = join(folder, ".git");
  const found: FoundRepository[] = [];
  if (isFolder(entry)) found.push({ folder, gitFolder: realPathOf(entry), isBare: false });
  else if (isFile(entry)) found.push(fromGitFile(entry));
  if (isRepository(folder)) found.push({ folder, gitFolder: folder, isBare: true });
  return found;
}

/** The folder with the settings and hooks that all work trees share. */
export function commonFolder(gitFolder: string): string {
  const shared = firstLineOf(join(gitFolder, "commondir"));
  return shared ? realPathOf(resolve(gitFolder, shared)) : gitFolder;
}

function fromGitFile(file: string): FoundRepository {
  const target = readGitFile(file);
  return { folder: dirname(file), gitFolder: target && realPathOf(target), isBare: false };
}

/** Git's own test: a valid HEAD, and the folders `objects` and `refs`. */
export function isRepository(folder: string): boolean {
  const head = join(folder, "HEAD");
  if (!isLink(head) && !/^(ref:|[0-9a-f]{40})/.test(firstLineOf(head) ?? "")) return false;
  const shared = commonFolder(folder);
  return isFolder(join(shared, "objects")) && isFolder(join(shared, "refs"));
}

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== "";
  } catch {
    return false;
  }
}

const isFolder = (path: string) => statOf(path)?.isDirectory() ?? false;
const isFile = (path: string) => statOf(path)?.isFile() ?? false;

/** Follows links. Undefined if we cannot read it, because then git cannot either. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
