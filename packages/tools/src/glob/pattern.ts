// A glob pattern split into the folder it starts in and what ripgrep shall match there. Pure.

import { isAbsolute, resolve } from "node:path";

export interface GlobSearch {
  /** Where to look; what the call would touch. */
  readonly base: string;
  /** In ripgrep's (gitignore's) language, where a pattern without a slash matches at any depth. */
  readonly glob: string;
  /** How deep a match can be; undefined when the pattern does not say. */
  readonly depth: number | undefined;
}

export function splitPattern(pattern: string, folder: string): GlobSearch {
  if (!pattern.includes("/")) return { base: folder, glob: escapeStart(pattern), depth: undefined };

  const segments = pattern.split("/");
  const firstWild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const split = firstWild === -1 ? segments.length - 1 : firstWild;
  const fixed = segments.slice(0, split).join("/");
  const rest = segments.slice(split).filter((segment) => segment !== "" && segment !== ".");
  const base = isAbsolute(pattern) ? resolve("/", fixed) : resolve(folder, fixed);
  // A folder named outright means everything in it.
  const wanted = rest.length === 0 || pattern.endsWith("/") ? [...rest, "**"] : rest;
  const isFlat = wanted.every((segment) => !segment.includes("**") && !/[{}]/.test(segment));
  return { base, glob: `/${escapeEnd(wanted.join("/"))}`, depth: isFlat ? wanted.length : undefined };
}

/** `!` would exclude and `#` would make a comment of it. */
const escapeStart = (glob: string) => escapeEnd(/^[!#]/.test(glob) ? `\\${glob}` : glob);

/** Blanks at the end would be dropped. */
const escapeEnd = (glob: string) => glob.replace(/(?<!\\) $/, "\\ ");
