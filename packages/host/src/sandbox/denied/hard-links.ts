// Finds hard links. A rule names one path, but the same content is available under every other name of the file.

import { basename, join } from "node:path";
import { entriesOf, GENERATED_FOLDERS } from "./folder-index.ts";
import { inodeKey, lstatOrNull } from "../guarded/stat.ts";

export interface LinkedFile {
  readonly path: string;
  /** Changes when a hard link is added or removed. */
  readonly stamp: string;
}

/** By inode. */
export type LinkedFiles = ReadonlyMap<string, LinkedFile>;

const MAX_STATS = 200_000;

/**
 * The regular files with more than one name among `files` and in `folders`. Skips folders that package managers fill
 * with links to their store, because those contain no secrets.
 */
export function linkedFiles(
  files: Iterable<string>,
  folders: Iterable<string>,
  { limit }: { readonly limit: number },
): { readonly linked: LinkedFiles; readonly complete: boolean } {
  const linked = new Map<string, LinkedFile>();
  const add = (path: string) => {
    const stat = lstatOrNull(path);
    if (!stat?.isFile() || stat.nlink < 2) return;
    linked.set(inodeKey(stat), { path, stamp: `${inodeKey(stat)}:${stat.nlink}:${stat.ctimeMs}` });
  };
  for (const path of files) add(path);
  const open = [...folders].filter((folder) => !GENERATED_FOLDERS.has(basename(folder)));
  let checked = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      if (++checked > limit) return { linked, complete: false };
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !GENERATED_FOLDERS.has(entry.name)) open.push(path);
      else if (entry.isFile()) add(path);
    }
  }
  return { linked, complete: true };
}

/** The names of these files directly in one of the folders. */
export function findLinkNames(
  folders: Iterable<string>,
  linked: LinkedFiles,
): { readonly names: readonly string[]; readonly complete: boolean } {
  const names: string[] = [];
  let checked = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (!entry.isFile()) continue;
      if (++checked > MAX_STATS) return { names, complete: false };
      const path = join(folder, entry.name);
      const stat = lstatOrNull(path);
      if (stat !== null && stat.nlink > 1 && linked.has(inodeKey(stat))) names.push(path);
    }
  }
  return { names, complete: true };
}
