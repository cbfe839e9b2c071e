// Paths that a plugin names: they are relative to its folder and stay inside, also through `..` and links.

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

export type InsidePath =
  { readonly path: string; readonly kind: "file" | "folder" } | { readonly problem: string; readonly missing?: true };

/** `root` has its links resolved. The result has them resolved too. */
export function insidePath(root: string, given: string): InsidePath {
  if (given.includes("\0")) return { problem: "contains a null byte" };
  // The format wants "./"; many plugins leave it out.
  if (/^(?:[/\\~$]|[A-Za-z]:)/.test(given)) return { problem: 'should be a path in the plugin that starts with "./"' };
  if (given.split(/[\\/]/).includes("..")) return { problem: 'should not have ".." in it' };
  try {
    const at = join(root, given);
    // Most default places are missing; finding that out by an error would cost more.
    if (lstatSync(at, { throwIfNoEntry: false }) === undefined)
      return { problem: "does not exist; create it, or correct the path", missing: true };
    const path = realpathSync(at);
    if (!liesInside(root, path)) return { problem: "is a link that leads out of the plugin; copy the file instead" };
    const stat = statSync(path);
    if (stat.isDirectory()) return { path, kind: "folder" };
    return stat.isFile() ? { path, kind: "file" } : { problem: "is neither a file nor a folder" };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR")
      return { problem: "does not exist; create it, or correct the path", missing: true };
    return { problem: `cannot be read (${code ?? "unknown error"})` };
  }
}

export const liesInside = (root: string, path: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
