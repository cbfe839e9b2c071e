// Finds the folders where git keeps settings and hooks: `.git`, the shared one, and those of submodules and worktrees.
// Reads files only; never runs git.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../../files/regular-file.ts";
import { realPath } from "./stat.ts";

const MAX_POINTER_BYTES = 4096;
/** Most repositories have a few; more than this cannot be checked before every command. */
const MAX_CHECKS = 10_000;

export interface RepositoryFolders {
  /** The `.git` entry, or the repository itself if it is bare. */
  readonly entry: string;
  /** The top of the work tree, or the repository itself if it is bare. */
  readonly top: string;
  /** All repository folders: its own, the shared one, and those of submodules. */
  readonly folders: readonly string[];
  /** Folders of worktrees, which may have their own settings. */
  readonly worktrees: readonly string[];
  /** Folders with too many submodules to check. */
  readonly unseen: readonly string[];
}

/** The repositories of this folder and all folders above it, because the nearest one may change at any time. */
export function repositoryFolders(folder: string): readonly RepositoryFolders[] {
  const found: RepositoryFolders[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const kind = kindOf(entry);
    if (kind === "folder") found.push({ entry, top: at, ...withModules(entry), worktrees: worktreesIn(entry) });
    else if (kind === "file") found.push(fromGitFile(entry, at));
    if (isBare(at)) found.push({ entry: at, top: at, ...withModules(at), worktrees: worktreesIn(at) });
    if (at === dirname(at)) return found;
  }
}

/** Git treats a folder with this layout as a repository. */
function isBare(folder: string): boolean {
  const head = join(folder, "HEAD");
  return kindOf(head) === "file" && ["objects", "refs"].every((name) => kindOf(join(folder, name)) === "folder");
}

/** In a worktree or submodule, `.git` is a file with the path of a folder, which may point to a shared one. */
function fromGitFile(entry: string, top: string): RepositoryFolders {
  const nothing = { folders: [], unseen: [] };
  const target = readPointer(entry)?.match(/^gitdir: (.+)/)?.[1];
  if (!target) return { entry, top, ...nothing, worktrees: [] };
  const own = resolve(top, target.trimEnd());
  const named = readPointer(join(own, "commondir"));
  const shared = named && resolve(own, named.trim());
  const { folders, unseen } = shared ? withModules(shared) : nothing;
  return {
    entry,
    top,
    folders: [...new Set([own, ...folders])].filter((path) => kindOf(path) === "folder"),
    worktrees: shared ? worktreesIn(shared) : [],
    unseen,
  };
}

/** A submodule may be named `libs/net/http` and have its own submodules. */
function withModules(folder: string): Pick<RepositoryFolders, "folders" | "unseen"> {
  const modules = join(folder, "modules");
  const folders = [folder];
  const open = [modules];
  const seen = new Set([realPath(folder)]);
  let checks = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const real = realPath(at);
    // Links may form a cycle.
    if (real === null || seen.has(real)) continue;
    seen.add(real);
    for (const name of namesIn(at)) {
      if (++checks > MAX_CHECKS) return { folders, unseen: [modules] };
      const path = join(at, name);
      const isRepository = kindOf(join(path, "HEAD")) === "file";
      if (isRepository) folders.push(path);
      open.push(isRepository ? join(path, "modules") : path);
    }
  }
  return { folders, unseen: [] };
}

function worktreesIn(folder: string): string[] {
  const worktrees = join(folder, "worktrees");
  return namesIn(worktrees).map((name) => join(worktrees, name));
}

function namesIn(folder: string): readonly string[] {
  // Most repositories have none, and a check is cheaper than an exception.
  if (kindOf(folder) !== "folder") return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readPointer(path: string): string | null {
  try {
    return new TextDecoder().decode(readRegularFile(path, MAX_POINTER_BYTES));
  } catch {
    return null;
  }
}

function kindOf(path: string): "file" | "folder" | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() ? "folder" : found?.isFile() ? "file" : null;
  } catch {
    return null;
  }
}
