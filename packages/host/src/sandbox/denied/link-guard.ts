// Detects files that are hard links to a denied file. `prepare` finds the denied files; `deniedTarget` only compares.

import { sep } from "node:path";
import type { DeniedFiles, DeniedLinks, DenyOptions } from "./denied.ts";
import type { DenyRule } from "./deny-pattern.ts";
import { inodeKey, statThroughLinks } from "../guarded/stat.ts";

export interface LinkGuard {
  /**
   * Finds the denied files if one of the paths is a file with hard links, or a folder that will be searched. False if none
   * is: then none of them is a link to a denied file.
   */
  prepare(paths: Iterable<string>, options: { readonly cwd: string; readonly folders: boolean }): Promise<boolean>;
  /** The denied file that this is a link to; `unknown` if not all could be checked; undefined for any other file. */
  deniedTarget(path: string): { readonly path: string } | "unknown" | undefined;
}

export function createLinkGuard(options: DenyOptions): LinkGuard {
  let files: DeniedFiles | undefined;
  let known:
    { readonly rules: readonly DenyRule[]; readonly links: DeniedLinks; generated: ReadonlySet<string> } | undefined;

  return {
    async prepare(paths, { cwd, folders }) {
      const rules = options.rules();
      if (!rules.some(isAboutFiles)) return false;
      const matters = (path: string) => {
        const stat = statThroughLinks(path);
        return stat?.isDirectory() ? folders : (stat?.nlink ?? 0) > 1;
      };
      if (![...paths].some(matters)) return false;
      // Loaded here because most sessions never get this far.
      const [{ createDeniedFiles }, { GENERATED_FOLDERS }] = await Promise.all([
        import("./denied.ts"),
        import("./folder-index.ts"),
      ]);
      files ??= createDeniedFiles(options);
      known = { rules, links: await files.links(cwd), generated: GENERATED_FOLDERS };
      return true;
    },
    deniedTarget(path) {
      const rules = options.rules();
      const stat = rules.some(isAboutFiles) ? statThroughLinks(path) : null;
      if (!stat?.isFile() || stat.nlink < 2) return undefined;
      if (known?.rules !== rules) return "unknown";
      const { generated, links } = known;
      const { linked, complete } = links;
      const found = linked.get(inodeKey(stat));
      if (found !== undefined) return { path: found.path };
      // Package managers link whole trees of files to their store.
      return complete || path.split(sep).some((name) => generated.has(name)) ? undefined : "unknown";
    },
  };
}

const isAboutFiles = ({ behavior, tool, content }: DenyRule) =>
  behavior === "deny" && tool === "Read" && content !== undefined;
