// Which source files of a folder changed since the last look. Servers expect their client to tell them; commands change
// files without telling us, and watching every folder of a large project costs more than looking.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface TreeChange {
  readonly path: string;
  readonly type: "created" | "changed" | "deleted";
}

export interface SourceTree {
  /** What changed since the last call. The first call finds nothing: it remembers what is there. */
  changes(): Promise<readonly TreeChange[]>;
}

/** Folders of packages, tools and output. What changes there is found when the server starts again. */
const SKIPPED = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "target",
  "dist",
  "build",
  "out",
  "venv",
  "__pycache__",
]);
/** In a larger project, changes of commands are not looked for past this number. */
const MOST_FILES = 50_000;
/** Looked at together. */
const AT_ONCE = 64;

/** `isSource` says whether a file name is of interest. Hidden folders and links are not followed. */
export function sourceTree(root: string, isSource: (name: string) => boolean): SourceTree {
  let known: Map<string, string> | undefined;
  return {
    async changes() {
      const now = await stampsIn(root, isSource);
      const before = known;
      known = now;
      if (!before) return [];
      const changes: TreeChange[] = [];
      for (const [path, stamp] of now) {
        const old = before.get(path);
        if (old !== stamp) changes.push({ path, type: old === undefined ? "created" : "changed" });
      }
      for (const path of before.keys()) if (!now.has(path)) changes.push({ path, type: "deleted" });
      return changes;
    },
  };
}

async function stampsIn(root: string, isSource: (name: string) => boolean): Promise<Map<string, string>> {
  const stamps = new Map<string, string>();
  const folders = [root];
  let files: string[] = [];
  const lookAt = async () => {
    const seen = await Promise.all(
      files.map(async (path) => {
        const stat = await lstat(path).catch(() => undefined);
        return stat?.isFile() ? ([path, `${stat.mtimeMs} ${stat.size} ${stat.ino}`] as const) : undefined;
      }),
    );
    for (const each of seen) if (each) stamps.set(...each);
    files = [];
  };
  for (let at = 0; at < folders.length && stamps.size < MOST_FILES; at++) {
    const folder = folders[at]!;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && !SKIPPED.has(entry.name)) folders.push(path);
      } else if (entry.isFile() && isSource(entry.name)) {
        files.push(path);
        if (files.length === AT_ONCE) await lookAt();
      }
    }
    await lookAt();
  }
  return stamps;
}
