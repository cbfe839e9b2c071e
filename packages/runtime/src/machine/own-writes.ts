// Guarded files that we wrote ourselves, with somebody's approval. Only as long as they are as we left them: what a command
// writes over them later is its own doing.

import { statSync, type Stats } from "node:fs";
import type { ReadLedger } from "@keelson/engine";

export interface OwnWrites {
  isOurs(path: string): boolean;
  /** From now until the answer is called, whatever happens to these files is our doing. */
  begin(paths: readonly string[]): () => void;
  /** The same ledger, with an eye on what tools write. */
  trackingWrites<Kind extends ReadLedger>(ledger: Kind): Kind;
}

export function createOwnWrites(): OwnWrites {
  const written = new Map<string, string>();
  const underWay: (readonly string[])[] = [];

  function note(path: string, found: Stats | undefined): void {
    if (found) written.set(path, stampOf(found));
    else written.delete(path);
  }

  return {
    isOurs(path) {
      if (underWay.some((paths) => paths.includes(path))) return true;
      const left = written.get(path);
      const found = left === undefined ? undefined : tryStat(path);
      return found !== undefined && left === stampOf(found);
    },
    begin(paths) {
      underWay.push(paths);
      return () => {
        underWay.splice(underWay.indexOf(paths), 1);
        for (const path of paths) note(path, tryStat(path));
      };
    },
    trackingWrites: (ledger) => ({
      ...ledger,
      set(path, sighting) {
        ledger.set(path, sighting);
        if (sighting.by !== "write") return;
        const found = tryStat(path);
        // Unless somebody else was there since.
        note(path, found?.mtimeMs === sighting.mtimeMs ? found : undefined);
      },
    }),
  };
}

/** Anyone can set the time of a change back, but not the time at which they did so. */
function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder that was closed to us
  }
}
