// Which repository git would use in a folder, found as git finds it: upwards, by `.git` or by the layout of a bare one.
// Reads names and small files; git is never started.

import { readlinkSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { firstLine, readGitFile } from "./branch.ts";
import { realPathOf } from "../files/real-path.ts";

export interface FoundRepository {
  /** Where it was found: the top of the work tree, or the repository itself when it is bare. */
  readonly folder: string;
  /** Settings of this work tree, its HEAD and index. Null: `.git` leads nowhere we can tell. */
  readonly gitFolder: string | null;
  readonly isBare: boolean;
}

/**
 * Nearest first. The last one is what git takes; those before it look like repositories and are broken in our eyes,
 * but another version of git may see them otherwise.
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

/** What `.git` of this very folder leads to, or the folder itself as a bare repository. */
export function repositoriesIn(folder: string): readonly FoundRepository[] {
  const entry = join(folder, ".git");
  const found: FoundRepository[] = [];
  if (isFolder(entry)) found.push({ folder, gitFolder: realPathOf(entry), isBare: false });
  else if (isFile(entry)) found.push(fromGitFile(entry));
  if (isRepository(folder)) found.push({ folder, gitFolder: folder, isBare: true });
  return found;
}

/** Holds what all work trees share: the settings and the hooks. */
export function commonFolder(gitFolder: string): string {
  const shared = firstLine(join(gitFolder, "commondir"));
  return shared ? realPathOf(resolve(gitFolder, shared)) : gitFolder;
}

function fromGitFile(file: string): FoundRepository {
  const target = readGitFile(file);
  return { folder: dirname(file), gitFolder: target && realPathOf(target), isBare: false };
}

/** As git decides it: a HEAD that is one, and the folders `objects` and `refs`. */
export function isRepository(folder: string): boolean {
  const head = join(folder, "HEAD");
  if (!isLink(head) && !/^(ref:|[0-9a-f]{40})/.test(firstLine(head) ?? "")) return false;
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

/** Links are followed. What we may not look at, git may not either. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
