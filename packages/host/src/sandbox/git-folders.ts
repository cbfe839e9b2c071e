// Where git keeps the settings and hooks of a folder: its own `.git`, the one it shares, those of submodules.
// Reads files only; git is never started.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegular } from "../regular-file.ts";

const LONGEST_POINTER = 4096;
const MOST_MODULES = 64;

/** `.git` of this folder or of the nearest one above it: the entry itself, and every folder with settings of its own. */
export function gitFolders(folder: string): { readonly entry: string; readonly folders: readonly string[] } | null {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const kind = kindOf(entry);
    if (kind === "folder") return { entry, folders: withModules(entry) };
    if (kind === "file") return { entry, folders: pointedAt(entry, at) };
    if (at === dirname(at)) return null;
  }
}

/** A worktree or a submodule: `.git` is a file that names the folder, which may name another it shares. */
function pointedAt(entry: string, base: string): string[] {
  const target = pointer(entry)?.match(/^gitdir: (.+)/)?.[1];
  if (!target) return [];
  const own = resolve(base, target.trimEnd());
  const shared = pointer(join(own, "commondir"));
  return [own, ...(shared ? withModules(resolve(own, shared.trim())) : [])].filter((path) => kindOf(path) === "folder");
}

function withModules(folder: string): string[] {
  const modules = join(folder, "modules");
  try {
    const names = readdirSync(modules).slice(0, MOST_MODULES);
    return [folder, ...names.map((name) => join(modules, name)).filter((path) => kindOf(path) === "folder")];
  } catch {
    return [folder];
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
    const found = statSync(path);
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : null;
  } catch {
    return null;
  }
}
