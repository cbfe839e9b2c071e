// Whether a pattern of file names could stand for something protected. `protected.ts` judges names that are known.

import { isProtected, PROTECTED_FILES, PROTECTED_FOLDERS } from "./protected.ts";
import { overlap } from "./wildcard.ts";

const FOLDERS = [...PROTECTED_FOLDERS];
const HIDDEN = [...PROTECTED_FILES].filter((name) => name.startsWith("."));

/** A path of a few thousand characters against every name; what needs more counts as protected. */
const MOST_EFFORT = 10_000_000;

/**
 * By name alone, for names that begin with a dot. Of the others there are few, and what a pattern really finds among
 * them is looked up: nobody wants to be asked about `rm dist/*` because it could find a `bunfig.toml`.
 */
export function mayBeProtected(pattern: string): boolean {
  const segments = pattern.split("/");
  const effort = { left: MOST_EFFORT };
  return segments.some((segment, at) => {
    if (/^[*?[]/.test(segment)) return false;
    const next = segments[at + 1];
    const names = at === segments.length - 1 ? [...FOLDERS, ...HIDDEN, ".lefthook.yml"] : FOLDERS;
    if (overlap(segment, ".config", effort) && next !== undefined && overlap(next, "git", effort)) return true;
    const found = names.filter((name) => overlap(segment, name, effort));
    // The one folder in there that is free.
    return found.length > 0 && !found.every((name) => next !== undefined && !isProtected(`/${name}/${next}`));
  });
}
