// Whether a pattern of file names could stand for something protected. `protected.ts` judges names that are known.

import { isProtected, PROTECTED_FILES, PROTECTED_FOLDERS } from "./protected.ts";
import { overlap } from "./wildcard.ts";

const FOLDERS = [...PROTECTED_FOLDERS];
const HIDDEN = [...PROTECTED_FILES].filter((name) => name.startsWith("."));

/**
 * By name alone, for names that begin with a dot. Of the others there are few, and what a pattern really finds among
 * them is looked up: nobody wants to be asked about `rm dist/*` because it could find a `bunfig.toml`.
 */
export function mayBeProtected(pattern: string): boolean {
  const segments = pattern.split("/");
  return segments.some((segment, at) => {
    if (/^[*?[]/.test(segment)) return false;
    const next = segments[at + 1];
    const names = at === segments.length - 1 ? [...FOLDERS, ...HIDDEN, ".lefthook.yml"] : FOLDERS;
    if (overlap(segment, ".config") && next !== undefined && overlap(next, "git")) return true;
    const found = names.filter((name) => overlap(segment, name));
    // The one folder in there that is free.
    return found.length > 0 && !found.every((name) => next !== undefined && !isProtected(`/${name}/${next}`));
  });
}
