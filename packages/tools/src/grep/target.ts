// Decides where to start ripgrep, and maps the paths it prints to those the model knows. Pure.
// ripgrep gets the resolved path that the gate checked, so replacing a symbolic link afterwards has no effect.

import { basename, dirname } from "node:path";
import type { FileStat } from "@keelson/engine";
import { shownPath } from "../path.ts";
import { splitGlobs } from "./args.ts";

export interface GrepTarget {
  readonly cwd: string;
  /** The path for ripgrep, relative to `cwd`. */
  readonly target: string;
  /** Converts a path that ripgrep printed, or a line that starts with one, to the path the model knows. */
  toShownPath(printed: string): string;
}

/** `shown` is the target as the model knows it, relative to `cwd`. */
export function grepTarget(stat: FileStat, shown: string, globs: string | undefined, cwd: string): GrepTarget {
  const { kind, realPath } = stat;
  if (kind === "file") return makeTarget(dirname(realPath), basename(realPath), shown);
  // ripgrep resolves these globs against its own start folder, but users mean the working directory.
  const isAnchored = splitGlobs(globs ?? "").some((glob) => glob.slice(0, -1).includes("/"));
  return isAnchored ? makeTarget(cwd, shownPath(realPath, cwd), shown) : makeTarget(realPath, ".", shown);
}

function makeTarget(cwd: string, target: string, shown: string): GrepTarget {
  const prefix = shown === "." ? "" : shown.endsWith("/") ? shown : `${shown}/`;
  return {
    cwd,
    target,
    toShownPath(printed) {
      if (printed === target) return shown;
      return printed.startsWith(`${target}/`) ? prefix + printed.slice(target.length + 1) : printed;
    },
  };
}
