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
/** Comparisons of a folder with a line, in all. A repository could have thousands of lines in every folder. */
const MOST_COMPARED = 200_000;

/** For folders in the repository of `cwd`; without a repository, folders in `cwd`. When in doubt, a folder is ignored. */
export function ignoredFolders(cwd: string): (folder: string) => boolean {
  const files = new Map<string, readonly IgnoreLine[]>();
  const known = new Map<string, boolean>();
  let top: string | undefined;
  let left = MOST_COMPARED;
  const linesOf = (file: string) => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const lines = readIgnoreFile(file);
    files.set(file, lines);
    return lines;
  };

  const linesSay = (file: string, names: readonly string[]) => {
    const lines = linesOf(file);
    left -= lines.length;
    return left < 0 ? true : matches(lines, names);
  };
  /** By the lines about this folder itself. */
  const isNamed = (root: string, names: readonly string[]) => {
    const folder = join(root, ...names);
    const before = known.get(folder);
    if (before !== undefined) return before;
    let isIgnored = linesSay(join(root, ".git", "info", "exclude"), names) ?? false;
    for (let from = 0; from < names.length; from++) {
      isIgnored = linesSay(join(root, ...names.slice(0, from), ".gitignore"), names.slice(from)) ?? isIgnored;
    }
    known.set(folder, isIgnored);
    return isIgnored;
  };

  return (folder) => {
    const root = (top ??= repositoryOf(cwd) ?? cwd);
    const names = relative(root, folder).split(sep);
    if (names.length > DEEPEST || names.includes("node_modules") || names.includes(".git")) return true;
    // A folder in an ignored folder is ignored, whatever its own rules are.
    return names.some((_, at) => isNamed(root, names.slice(0, at + 1)));
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
