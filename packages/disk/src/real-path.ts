// Resolves links, even if the end of the path does not exist yet, and checks whether an open file is still at its path.

import { fstatSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** The same limit as the kernel's. */
const MAX_LINKS = 40;

/** Resolves the part that exists and appends the rest unchanged. Follows dangling links. */
export function realPathOf(path: string): string {
  return resolveLinks(path, MAX_LINKS);
}

/**
 * The folder with links resolved; undefined if one that a command may have put there leads elsewhere: one below `roots`. That
 * the folder itself is a link to one of the same name is the user's doing, such as `plans` in a folder for dotfiles.
 */
export function unplantedFolder(path: string, roots: readonly string[]): string | undefined {
  const real = realPathOf(path);
  const around = roots.filter((root) => path.startsWith(`${root}/`));
  const isAsNamed = (folder: string, there: string) =>
    around.every((root) => there === join(realPathOf(root), relative(root, folder)));
  return isAsNamed(path, real) ||
    (basename(real) === basename(path) && isAsNamed(dirname(path), realPathOf(dirname(path))))
    ? real
    : undefined;
}

/** Whether an open file or folder is the one at this path, without any link in the path. */
export function isOpenAt(fd: number, path: string): boolean {
  try {
    if (hasDescriptorPaths()) return readlinkSync(`/proc/self/fd/${fd}`) === path;
    const [open, there] = [fstatSync(fd), lstatSync(path)];
    return open.ino === there.ino && open.dev === there.dev && realpathSync(path) === path;
  } catch {
    return false;
  }
}

/** Whether /proc/self/fd is available: it shows the path of a descriptor and can start a path. */
export function hasDescriptorPaths(): boolean {
  return (hasPaths ||=
    process.platform === "linux" && lstatSync("/proc/self/fd", { throwIfNoEntry: false }) !== undefined);
}

let hasPaths = false;

function resolveLinks(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    if (path.startsWith("/") && isMissing(path)) {
      const there = existingPart(path);
      return join(resolveLinks(there, links), path.slice(there.length));
    }
    const here = join(resolveLinks(parent, links), basename(path));
    const target = links > 0 ? linkTarget(here) : null;
    return target === null ? here : resolveLinks(target, links - 1);
  }
}

/** Searches from the top because a command may contain many long paths that do not exist. */
function existingPart(path: string): string {
  let there = "/";
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    const next = path.slice(0, end);
    if (isMissing(next)) break;
    there = next;
  }
  return there;
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG";
  }
}

function linkTarget(path: string): string | null {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return null;
  }
}
