// Finds the instruction files of one folder, in the order they are read. Does not open them.

import { readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Collector } from "../collect.ts";
import type { InstructionStamp } from "./sighting.ts";

export interface FolderFiles {
  /** `CLAUDE.md` and `.claude/CLAUDE.md`; if neither exists, `AGENTS.md` and `.claude/AGENTS.md`. */
  readonly main: readonly string[];
  readonly local: readonly string[];
  /** The folder with rules. */
  readonly rules?: string;
}

export interface LookOptions {
  readonly agents: boolean;
  /** Whether a `.claude` folder is the user's config folder or otherwise not to be read. */
  isOther(dotClaude: string): boolean;
  watch(path: string): InstructionStamp;
}

export function lookInto(folder: string, { agents, isOther, watch }: LookOptions): FolderFiles {
  const at = (...names: readonly string[]) => {
    const path = join(folder, ...names);
    return { path, kind: watch(path).kind };
  };
  const paths = (files: readonly { path: string; kind: InstructionStamp["kind"] }[]) =>
    files.filter(({ kind }) => kind !== "none").map(({ path }) => path);

  const dot = at(".claude");
  const hasDot = dot.kind === "folder" && !isOther(dot.path);
  const both = (name: string) => [at(name), ...(hasDot ? [at(".claude", name)] : [])];
  const main = both("CLAUDE.md");
  // A folder or a broken link with that name does not count.
  const hasNone = main.every(({ kind }) => kind !== "file");
  const instead = agents && hasNone ? both("AGENTS.md") : [];
  const rules = paths(hasDot ? [at(".claude", "rules")] : []);
  return {
    main: paths([...main, ...instead]),
    local: paths([at("CLAUDE.local.md")]),
    ...(rules.length === 0 ? {} : { rules: rules[0]! }),
  };
}

const DEEPEST = 16;
const MOST_RULES = 5_000;

/** All rule files in a folder, by name; those of subfolders come last. */
export function rulesIn(
  top: string,
  roots: readonly string[] | undefined,
  collector: Pick<Collector, "accepts" | "leaveOut" | "watch">,
): readonly string[] {
  const found: string[] = [];
  const visited = new Set<string>();
  const walk = (folder: string, depth: number) => {
    let entries: Dirent[];
    let real: string;
    try {
      real = realpathSync(folder);
      if (visited.has(real)) return;
      if (!collector.accepts(real, roots)) {
        const why = `it links to ${real}, outside this project, and external files are not approved here`;
        return collector.leaveOut(folder, why, { external: true, real });
      }
      collector.watch(folder);
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== "ENOENT" && code !== "ENOTDIR") collector.leaveOut(folder, `it cannot be read (${code})`);
      return;
    }
    visited.add(real);
    const folders: string[] = [];
    for (const entry of entries.toSorted(byName)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path))) folders.push(path);
      else if (entry.name.endsWith(".md")) found.push(path);
      if (found.length >= MOST_RULES) return collector.leaveOut(folder, `there are more than ${MOST_RULES} rules`);
    }
    if (depth >= DEEPEST && folders.length > 0)
      return collector.leaveOut(folder, `rules are read only ${DEEPEST} folders deep`);
    for (const path of folders) {
      if (found.length < MOST_RULES) walk(path, depth + 1);
    }
  };
  walk(top, 1);
  return found;
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1);

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
