// The session's working directories and its current directory. Compares real path segments, never text prefixes.

import { realpathSync, statSync } from "node:fs";
import { relative, isAbsolute, sep } from "node:path";
import type { Workspace } from "@keelson/engine";

export interface MovableWorkspace extends Workspace {
  /** Works in another folder from now on. The old one is no longer a working directory. `quiet`: `moved` is not called. */
  moveRoot(path: string, options?: { readonly quiet: boolean }): void;
  /** These are no working directories any more. */
  leave(paths: readonly string[]): void;
}

/** `directories` may be a function because directories can be added during a session. */
export function createWorkspace(
  start: string,
  directories: readonly string[] | (() => readonly string[]) = [],
  moved: (from: string, to: string) => void = () => undefined,
): MovableWorkspace {
  const added = typeof directories === "function" ? directories : () => directories;
  let root = start;
  let cwd = start;
  let former: readonly string[] = [];
  const leave = (paths: readonly string[]) => {
    const others = paths.filter((path) => !former.includes(path));
    if (others.length > 0) former = [...former, ...others];
  };
  return {
    leave,
    get former() {
      return former;
    },
    get root() {
      return root;
    },
    get directories() {
      return [root, ...added()];
    },
    get cwd() {
      return cwd;
    },
    move(path) {
      const target = realDirectory(path);
      if (target === null || !this.directories.some((directory) => contains(directory, target))) return false;
      // Rules that are relative to the working directories are also so to this one.
      if (target !== cwd && !this.directories.includes(cwd)) leave([cwd]);
      if (target !== cwd) moved(cwd, (cwd = target));
      return true;
    },
    moveRoot(path, { quiet } = { quiet: false }) {
      const from = cwd;
      leave([root, cwd]);
      root = cwd = path;
      if (from !== path && !quiet) moved(from, path);
    },
  };
}

function contains(directory: string, target: string): boolean {
  const real = realDirectory(directory);
  if (real === null) return false;
  const steps = relative(real, target);
  return steps === "" || (steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps));
}

function realDirectory(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}
