// Empty folders that stand where a guarded folder is missing, so that there is something to mount over. They are there
// only while a command runs, and are removed only if still empty: whatever came into one meanwhile is kept.

import { mkdirSync, rmdirSync } from "node:fs";

export interface StandIns {
  /** The folders that stand now; give them back with `release`. */
  hold(paths: readonly string[]): readonly string[];
  release(paths: readonly string[]): void;
  /** Those of ours that stand; to others they count as missing. */
  readonly standing: ReadonlySet<string>;
}

export function createStandIns(watcher: { added(path: string): void; removed(path: string): void }): StandIns {
  const holders = new Map<string, number>();
  const standing = new Set<string>();
  return {
    standing,
    hold(paths) {
      return paths.filter((path) => {
        const count = holders.get(path) ?? 0;
        if (count === 0 && !make(path)) return false;
        holders.set(path, count + 1);
        if (count === 0) {
          standing.add(path);
          watcher.added(path);
        }
        return true;
      });
    },
    release(paths) {
      for (const path of paths) {
        const count = (holders.get(path) ?? 0) - 1;
        holders.set(path, count);
        if (count > 0) continue;
        holders.delete(path);
        standing.delete(path);
        remove(path);
        watcher.removed(path);
      }
    },
  };
}

/** False where we cannot write either; then a command cannot. */
function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty: somebody uses it now. Or gone.
  }
}
