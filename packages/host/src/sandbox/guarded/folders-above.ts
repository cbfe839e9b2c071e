// The folders above guarded paths. A mount protects a path only while its parent folders stay in place: if one is
// renamed, another can take its place.

import { dirname, sep } from "node:path";
import { isWritable, lstatOrNull } from "./stat.ts";

export interface FoldersAbove {
  /** Bind these over themselves, so they cannot be renamed. */
  readonly pinned: readonly string[];
  /**
   * Compare these afterwards. A bind would break every rename and hard link across their boundary, such as `git mv`, or
   * a package manager that links from a cache in the home.
   */
  readonly kept: readonly string[];
}

interface FolderOptions {
  /** Whether this folder cannot be renamed, because it is read-only or inside a read-only one. */
  isFixed(folder: string): boolean;
  /** Working directories and the home. */
  readonly kept: readonly string[];
  /** Where the command starts. Not special, unless it is in `kept` or above a path in `firm`. */
  readonly free: string;
  /** The paths that are guarded wherever a command starts. */
  readonly firm: readonly string[];
}

/** The folders above these paths that could be renamed because their parent is writable. */
export function foldersAbove(paths: readonly string[], options: FolderOptions): FoldersAbove {
  const isKept = new Set(options.kept.flatMap(withAncestors));
  const isFree = new Set(withAncestors(options.free)).difference(isKept).difference(allAbove(options.firm));
  const folders = isKept.union(allAbove(paths));
  const pinned: string[] = [];
  const kept: string[] = [];
  for (const folder of folders) {
    const parent = dirname(folder);
    if (parent === folder || isFree.has(folder) || options.isFixed(folder)) continue;
    if (!isWritable(parent) || !lstatOrNull(folder)?.isDirectory()) continue;
    // Top-level folders such as `/tmp` are shared by everything.
    const isTop = dirname(parent) === parent;
    if (isTop || isKept.has(folder) || isOrdinary(folder, options.kept)) kept.push(folder);
    else pinned.push(folder);
  }
  return { pinned, kept };
}

/** An ordinary project folder that contains a guarded file: people move files in and out of it. */
function isOrdinary(folder: string, roots: readonly string[]): boolean {
  const root = roots.find((each) => folder.startsWith(`${each}${sep}`));
  return root !== undefined && !folder.slice(root.length).includes(`${sep}.`);
}

function allAbove(paths: readonly string[]): Set<string> {
  const parents = new Set(paths.map((path) => dirname(path)));
  return new Set([...parents].flatMap(withAncestors));
}

function withAncestors(folder: string): string[] {
  const chain = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) chain.push(dirname(at));
  return chain;
}
