// One line as in a .gitignore file: where it is anchored, whether it only matches folders, and what it covers. The
// caller handles negation: the last matching line of a list decides.

import { readBracket } from "./bracket.ts";
import { compileGlob, matchDepths, type Glob, type GlobOptions } from "./glob.ts";

export interface GitignoreLine {
  readonly glob: Glob;
  /** The line ended in a slash. */
  readonly onlyFolders: boolean;
}

/** Undefined for a line that matches nothing. A leading `!` or `#` is literal here. */
export function compileLine(line: string, options: GlobOptions): GitignoreLine | undefined {
  const pattern = withoutBlanks(line);
  const onlyFolders = pattern.endsWith("/");
  const whole = onlyFolders ? pattern.slice(0, -1) : pattern;
  if (whole === "") return undefined;
  const isAnchored = whole.includes("/");
  const segments = splitNames(whole.startsWith("/") ? whole.slice(1) : whole);
  const glob = compileGlob(isAnchored ? segments : ["**", ...segments], options);
  return glob && { glob, onlyFolders };
}

/** Whether the line matches the path or a folder that contains it. The path itself is treated as a file. */
export function coversPath({ glob, onlyFolders }: GitignoreLine, names: readonly string[]): boolean {
  return matchDepths(glob, names).some((depth) => depth < names.length || !onlyFolders);
}

/** Splits a pattern at its slashes, except those in brackets. A backslash before a slash has no effect. */
export function splitNames(pattern: string): string[] {
  const names: string[] = [];
  let start = 0;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "[") at = readBracket(pattern, at, false)?.end ?? pattern.length;
    const isEscaped = pattern[at] === "\\";
    if (pattern[isEscaped ? at + 1 : at] === "/") {
      names.push(pattern.slice(start, at));
      start = at + (isEscaped ? 2 : 1);
    }
    if (isEscaped) at++;
  }
  return [...names, pattern.slice(start)];
}

/** Removes trailing spaces, unless a backslash keeps one. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let slashes = 0;
  while (slashes < end && line[end - 1 - slashes] === "\\") slashes++;
  return line.slice(0, slashes % 2 === 1 && end < line.length ? end + 1 : end);
}
