// Folders of the main checkout that a worktree shares by links, such as `node_modules`. Only folders inside the main
// checkout, and only where the worktree has nothing.

import { lstatSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdFolder } from "../../files/held-folder.ts";

/** Returns what was not linked, for people. */
export function linkDirectories(root: string, path: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const problem = linkOne(root, path, folder);
    return problem === undefined ? [] : [`"${folder}" of worktree.symlinkDirectories is not linked: ${problem}`];
  });
}

function linkOne(root: string, path: string, folder: string): string | undefined {
  const inner = folder.replace(/^(?:\.\/+)+|\/+$/g, "");
  const parts = inner.split("/");
  if (inner === "" || parts.some((part) => part === "" || part === "." || part === "..")) {
    return "it is not a folder inside the repository";
  }
  // Git's own files, and the worktrees themselves.
  if (parts.includes(".git") || parts[0] === ".claude") return "it is not a folder that may be shared";
  const source = join(root, inner);
  try {
    if (!lstatSync(source, { throwIfNoEntry: false })) return undefined;
    if (realpathSync(source) !== source) return "it is reached through a link";
    if (!lstatSync(source).isDirectory()) return "it is not a folder";
    using parent = holdFolder(dirname(join(path, inner)));
    symlinkSync(source, parent.at(basename(inner)));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "EEXIST" ? "the worktree has its own" : message;
  }
}
