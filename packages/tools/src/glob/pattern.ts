// Splits a glob pattern into the folder to start in and the pattern for ripgrep to match there. Pure.

import { isAbsolute, resolve } from "node:path";

export interface GlobSearch {
  /** The folder to search; also what the call declares as `access`. */
  readonly base: string;
  /** In gitignore syntax: a pattern without a slash matches at any depth. */
  readonly glob: string;
  /** The maximum depth of a match; undefined if unlimited. */
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
  // A plain folder name means everything in it.
  const wanted = rest.length === 0 || pattern.endsWith("/") ? [...rest, "**"] : rest;
  const isFlat = wanted.every((segment) => !segment.includes("**") && !/[{}]/.test(segment));
  return { base, glob: `/${escapeEnd(wanted.join("/"))}`, depth: isFlat ? wanted.length : undefined };
}

/** A leading `!` would exclude, and `#` would start a comment. */
const escapeStart = (glob: string) => escapeEnd(/^[!#]/.test(glob) ? `\\${glob}` : glob);

/** A trailing space would be dropped. */
const escapeEnd = (glob: string) => glob.replace(/(?<!\\) $/, "\\ ");
