// Whether a file name pattern could match something protected. `protected.ts` checks known names.

import { isProtected, PROTECTED_FILES, PROTECTED_FOLDERS } from "./protected.ts";
import { overlap } from "./wildcard.ts";

const FOLDERS = [...PROTECTED_FOLDERS];
const HIDDEN = [...PROTECTED_FILES].filter((name) => name.startsWith("."));

/**
 * Enough to compare a path of a few thousand characters with every name; a pattern that needs more counts as protected.
 */
const MOST_EFFORT = 10_000_000;

/**
 * By name alone, for names that start with a dot. The others are few, and what a pattern matches among them is looked
 * up on disk: `rm dist/*` should not need approval because it could match a `bunfig.toml`.
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
    // The one folder in it that is not protected.
    return found.length > 0 && !found.every((name) => next !== undefined && !isProtected(`/${name}/${next}`));
  });
}
