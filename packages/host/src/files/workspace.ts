// The session's working directories and its current directory. Compares real path segments, never text prefixes.

import { realpathSync, statSync } from "node:fs";
import { relative, isAbsolute, sep } from "node:path";
import type { Workspace } from "@keelson/engine";

/** `directories` may be a function because directories can be added during a session. */
export function createWorkspace(
  root: string,
  directories: readonly string[] | (() => readonly string[]) = [],
  moved: (from: string, to: string) => void = () => undefined,
): Workspace {
  const added = typeof directories === "function" ? directories : () => directories;
  let cwd = root;
  return {
    root,
    get directories() {
      return [root, ...added()];
    },
    get cwd() {
      return cwd;
    },
    move(path) {
      const target = realDirectory(path);
      if (target === null || !this.directories.some((directory) => contains(directory, target))) return false;
      if (target !== cwd) moved(cwd, (cwd = target));
      return true;
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
