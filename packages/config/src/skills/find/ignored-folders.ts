// Which folders git ignores, from .gitignore files, without starting git.

import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { compileLine, matchDepths, type GitignoreLine } from "@keelson/engine/pattern";
import { readWholeFile } from "../../scopes/read.ts";

interface IgnoreLine extends GitignoreLine {
  readonly negated: boolean;
}

const MAX_BYTES = 256 * 1024;
const MOST_LINES = 5_000;
const DEEPEST = 256;

/** For folders in the repository of `cwd`; without a repository, folders in `cwd`. */
export function ignoredFolders(cwd: string): (folder: string) => boolean {
  const files = new Map<string, readonly IgnoreLine[]>();
  let top: string | undefined;
  const linesOf = (file: string) => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const lines = readIgnoreFile(file);
    files.set(file, lines);
    return lines;
  };

  return (folder) => {
    top ??= repositoryOf(cwd) ?? cwd;
    const names = relative(top, folder).split(sep);
    if (names.length > DEEPEST || names.includes("node_modules") || names.includes(".git")) return true;
    // A folder in an ignored folder is ignored, whatever its own rules are.
    for (let depth = 1; depth <= names.length; depth++) {
      let isIgnored = matches(linesOf(join(top, ".git", "info", "exclude")), names.slice(0, depth)) ?? false;
      for (let from = 0; from < depth; from++) {
        const lines = linesOf(join(top, ...names.slice(0, from), ".gitignore"));
        isIgnored = matches(lines, names.slice(from, depth)) ?? isIgnored;
      }
      if (isIgnored) return true;
    }
    return false;
  };
}

/** What the last matching line says about a folder; undefined if none matches. */
function matches(lines: readonly IgnoreLine[], names: readonly string[]): boolean | undefined {
  const last = lines.findLast(({ glob }) => matchDepths(glob, names).includes(names.length));
  return last && !last.negated;
}

function readIgnoreFile(file: string): readonly IgnoreLine[] {
  const text = readWholeFile(file, MAX_BYTES, { noFollow: true });
  if (typeof text !== "string") return [];
  return text.split(/\r?\n/, MOST_LINES).flatMap((line): IgnoreLine[] => {
    if (line === "" || line.startsWith("#")) return [];
    const negated = line.startsWith("!");
    const compiled = compileLine(negated ? line.slice(1) : line.replace(/^\\(?=[#!])/, ""), { ignoreCase: false });
    return compiled === undefined ? [] : [{ ...compiled, negated }];
  });
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
