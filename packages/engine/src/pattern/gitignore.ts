// One line as it could stand in a .gitignore: where it is anchored, whether it is about folders only, and what it covers.
// Negation is the caller's: in a list of lines the last one that matches decides.

import { readBracket } from "./bracket.ts";
import { compileGlob, matchDepths, type Glob, type GlobOptions } from "./glob.ts";

export interface GitignoreLine {
  readonly glob: Glob;
  /** It ended in a slash. */
  readonly onlyFolders: boolean;
}

/** Undefined for a line that matches nothing. A `!` or `#` at the start is a letter here. */
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

/** Whether the line is about the path or about a folder it lies in. The path itself is taken for a file. */
export function coversPath({ glob, onlyFolders }: GitignoreLine, names: readonly string[]): boolean {
  return matchDepths(glob, names).some((depth) => depth < names.length || !onlyFolders);
}

/** A pattern cut at its slashes, except those in brackets. A backslash before a slash means nothing. */
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

/** Blanks at the end are dropped, unless a backslash keeps one. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let slashes = 0;
  while (slashes < end && line[end - 1 - slashes] === "\\") slashes++;
  return line.slice(0, slashes % 2 === 1 && end < line.length ? end + 1 : end);
}
