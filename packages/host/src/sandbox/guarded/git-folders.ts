// Where git keeps the settings and hooks of a folder: its own `.git`, the one it shares, those of submodules and
// worktrees. Reads files only; git is never started.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../../files/regular-file.ts";
import { realPath } from "./stat.ts";

const MAX_POINTER_BYTES = 4096;
/** A repository has a few of these; beyond this many nobody can look at each of them before every command. */
const MAX_CHECKS = 10_000;

export interface RepositoryFolders {
  /** The `.git` that was found, or the repository itself when it is bare. */
  readonly entry: string;
  /** The top of the work tree; of a bare one the repository. */
  readonly top: string;
  /** Every folder that is a repository to git: its own, the one it shares, those of submodules. */
  readonly folders: readonly string[];
  /** Folders of worktrees, which may hold settings for that worktree alone. */
  readonly worktrees: readonly string[];
  /** Folders of submodules, too many to look at each. */
  readonly unseen: readonly string[];
}

/** Of this folder and of those above it. All of them: the nearest may be gone, or have come into being, at any time. */
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

/** Git takes a folder for a repository when it looks like one. */
function isBare(folder: string): boolean {
  const head = join(folder, "HEAD");
  return kindOf(head) === "file" && ["objects", "refs"].every((name) => kindOf(join(folder, name)) === "folder");
}

/** A worktree or a submodule: `.git` is a file that names the folder, which may name another it shares. */
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

/** Submodules may be named `libs/net/http`, and have submodules of their own. */
function withModules(folder: string): Pick<RepositoryFolders, "folders" | "unseen"> {
  const modules = join(folder, "modules");
  const folders = [folder];
  const open = [modules];
  const seen = new Set([realPath(folder)]);
  let looks = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const real = realPath(at);
    // Links may lead round in circles.
    if (real === null || seen.has(real)) continue;
    seen.add(real);
    for (const name of namesIn(at)) {
      if (++looks > MAX_CHECKS) return { folders, unseen: [modules] };
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
  // Most repositories have none; asking first is cheaper than an exception.
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
