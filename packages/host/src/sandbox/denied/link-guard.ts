// Whether a file is another name of one that rules keep from being read. Knows the rules' files as of the last time it
// was told to look; between two looks it only compares.

import { sep } from "node:path";
import type { DeniedFiles, DeniedLinks, DenyOptions } from "./denied.ts";
import type { DenyRule } from "./deny-pattern.ts";
import { inodeOf, lookThrough } from "../guarded/look.ts";

export interface LinkGuard {
  /** Looks up what is denied, where one of the paths is a file with several names or a folder to be searched. */
  prepare(paths: Iterable<string>, options: { readonly cwd: string; readonly folders: boolean }): Promise<void>;
  /** The denied file behind this one; `unknown` where not all could be looked up; undefined for any other file. */
  behind(path: string): { readonly path: string } | "unknown" | undefined;
}

export function createLinkGuard(options: DenyOptions): LinkGuard {
  let files: DeniedFiles | undefined;
  let known:
    { readonly rules: readonly DenyRule[]; readonly links: DeniedLinks; quiet: ReadonlySet<string> } | undefined;

  return {
    async prepare(paths, { cwd, folders }) {
      const rules = options.rules();
      if (!rules.some(isAboutFiles)) return;
      const matters = (path: string) => {
        const stat = lookThrough(path);
        return stat?.isDirectory() ? folders : (stat?.nlink ?? 0) > 1;
      };
      if (![...paths].some(matters)) return;
      // Most sessions never come this far; what searches for denied files is loaded by those that do.
      const [{ createDeniedFiles }, { QUIET }] = await Promise.all([
        import("./denied.ts"),
        import("./folder-index.ts"),
      ]);
      files ??= createDeniedFiles(options);
      known = { rules, links: await files.links(cwd), quiet: QUIET };
    },
    behind(path) {
      const rules = options.rules();
      const stat = rules.some(isAboutFiles) ? lookThrough(path) : null;
      if (!stat?.isFile() || stat.nlink < 2) return undefined;
      if (known?.rules !== rules) return "unknown";
      const { quiet, links } = known;
      const { linked, complete } = links;
      const found = linked.get(inodeOf(stat));
      if (found !== undefined) return { path: found.path };
      // Package managers link whole trees of files to their store.
      return complete || path.split(sep).some((name) => quiet.has(name)) ? undefined : "unknown";
    },
  };
}

const isAboutFiles = ({ behavior, tool, content }: DenyRule) =>
  behavior === "deny" && tool === "Read" && content !== undefined;
