// The folders above denied paths that the rules know by name: `Read(./config/key)` hides nothing any more once a command
// has renamed `config`. A rule such as `Read(.env)` finds its file wherever the folder goes.

import { dirname } from "node:path";

interface RuleFolderOptions {
  /** Folders above these stay in place anyway. */
  readonly roots: readonly string[];
  mayRead(path: string): boolean;
}

/** A name no rule mentions. */
const PROBE = "keelson-probe-0";

export function foldersInRules(denied: readonly string[], { roots, mayRead }: RuleFolderOptions): string[] {
  const found = new Set<string>();
  for (const path of denied) {
    const root = roots.find((each) => path.startsWith(`${each}/`));
    if (root === undefined) continue;
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
      if (found.has(folder)) continue;
      const rest = path.slice(folder.length);
      const elsewhere = new Set([`${dirname(folder)}/${PROBE}${rest}`, `${root}/${PROBE}${rest}`]);
      if ([...elsewhere].some(mayRead)) found.add(folder);
    }
  }
  return [...found];
}
