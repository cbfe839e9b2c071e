// Paths as text: absolute, without `.` and `..`. Knows nothing of what is on disk.

import { dirname, normalize, resolve } from "node:path/posix";

/** True for the folder itself and for what lies beneath it; never for a sibling whose name begins alike. */
export function isInside(folder: string, path: string): boolean {
  const parent = stripSlash(normalize(folder));
  const child = stripSlash(normalize(path));
  return parent === "/" || child === parent || child.startsWith(`${parent}/`);
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}

/** Makes a path absolute. `cwd` must be absolute already, so the process's own directory never counts. */
export function absolute(cwd: string, path: string): string {
  return resolve("/", cwd, path);
}

/** The folder and every folder above it, up to the root. */
export function withParents(folder: string): string[] {
  const chain = [stripSlash(normalize(folder))];
  for (let at = chain[0]!; at !== "/" && at !== "."; at = chain.at(-1)!) chain.push(dirname(at));
  return chain;
}

function stripSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
