// Where git keeps the settings and hooks of a folder: its own `.git`, the one it shares, those of submodules and
// worktrees. Reads files only; git is never started.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegular } from "../regular-file.ts";

const LONGEST_POINTER = 4096;
const MOST_MODULES = 64;
/** A submodule may be named `libs/net/http`. */
const DEEPEST_NAME = 4;

export interface GitFolders {
  /** The `.git` that was found. */
  readonly entry: string;
  /** Every folder that is a repository to git: its own, the one it shares, those of submodules. */
  readonly folders: readonly string[];
  /** Folders of worktrees, which may hold settings for that worktree alone. */
  readonly worktrees: readonly string[];
}

/** For `.git` of this folder or of the nearest one above it. */
export function gitFolders(folder: string): GitFolders | null {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const kind = kindOf(entry);
    if (kind === "folder") return { entry, folders: withModules(entry), worktrees: worktreesIn(entry) };
    if (kind === "file") return pointedAt(entry, at);
    if (at === dirname(at)) return null;
  }
}

/** A worktree or a submodule: `.git` is a file that names the folder, which may name another it shares. */
function pointedAt(entry: string, base: string): GitFolders {
  const target = pointer(entry)?.match(/^gitdir: (.+)/)?.[1];
  if (!target) return { entry, folders: [], worktrees: [] };
  const own = resolve(base, target.trimEnd());
  const named = pointer(join(own, "commondir"));
  const shared = named && resolve(own, named.trim());
  const folders = [own, ...(shared ? withModules(shared) : [])];
  return {
    entry,
    folders: [...new Set(folders)].filter((path) => kindOf(path) === "folder"),
    worktrees: shared ? worktreesIn(shared) : [],
  };
}

function withModules(folder: string): string[] {
  const found = [folder];
  addRepositories(join(folder, "modules"), DEEPEST_NAME, found);
  return found;
}

function worktreesIn(folder: string): string[] {
  const worktrees = join(folder, "worktrees");
  return namesIn(worktrees)
    .slice(0, MOST_MODULES)
    .map((name) => join(worktrees, name));
}

/** Adds the repositories beneath a folder; submodules have submodules of their own. */
function addRepositories(folder: string, depth: number, found: string[]): void {
  for (const name of namesIn(folder)) {
    if (found.length > MOST_MODULES) return;
    const path = join(folder, name);
    if (kindOf(join(path, "HEAD")) === "file") {
      found.push(path);
      addRepositories(join(path, "modules"), DEEPEST_NAME, found);
    } else if (depth > 1 && kindOf(path) === "folder") addRepositories(path, depth - 1, found);
  }
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

function pointer(path: string): string | null {
  try {
    return new TextDecoder().decode(readRegular(path, LONGEST_POINTER));
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
