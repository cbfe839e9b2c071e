// Guarded files that we wrote ourselves, with somebody's approval. Only as long as they are as we left them: what a command
// writes over them later is its own doing.

import { statSync } from "node:fs";
import type { Sighting } from "@keelson/engine";

export interface OwnWrites {
  isOurs(path: string): boolean;
  /** From now until the answer is called, whatever happens to these files is our doing. */
  writing(paths: readonly string[]): () => void;
}

/** `seen` is what tools wrote. */
export function createOwnWrites(seen: (path: string) => Sighting | undefined): OwnWrites {
  const written = new Map<string, number>();
  const underWay: (readonly string[])[] = [];
  return {
    isOurs(path) {
      if (underWay.some((paths) => paths.includes(path))) return true;
      const sighting = seen(path);
      const left = written.get(path) ?? (sighting?.by === "write" ? sighting.mtimeMs : undefined);
      return left !== undefined && left === mtimeOf(path);
    },
    writing(paths) {
      underWay.push(paths);
      return () => {
        underWay.splice(underWay.indexOf(paths), 1);
        for (const path of paths) {
          const mtime = mtimeOf(path);
          if (mtime !== undefined) written.set(path, mtime);
        }
      };
    },
  };
}

function mtimeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
