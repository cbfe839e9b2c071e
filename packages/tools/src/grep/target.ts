// Where ripgrep is started for a search, and what the paths it prints then are called. Pure.
// It is given the path that was judged, in the folder itself: a link that is swapped meanwhile leads it nowhere.

import { basename, dirname } from "node:path";
import type { FileStat } from "@keelson/engine";
import { shownPath } from "../path.ts";
import { splitGlobs } from "./args.ts";

export interface GrepTarget {
  readonly cwd: string;
  /** As ripgrep is told, seen from there. */
  readonly target: string;
  /** A path, or a line that begins with one, as ripgrep prints it: as the model knows it. */
  toShownPath(printed: string): string;
}

/** `shown` is the target as the model knows it, seen from `cwd`. */
export function grepTarget(stat: FileStat, shown: string, globs: string | undefined, cwd: string): GrepTarget {
  const { kind, realPath } = stat;
  if (kind === "file") return makeTarget(dirname(realPath), basename(realPath), shown);
  // ripgrep takes these as seen from where it is started, and people mean the working directory.
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
