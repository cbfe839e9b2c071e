// Guarded files that Keelson itself wrote, with approval. A file counts as ours only while it is unchanged, so a later
// change by a command is still detected.

import { statSync, type Stats } from "node:fs";
import type { ReadLedger } from "@keelson/engine";
import { fileStamp } from "@keelson/protocol";

export interface OwnWrites {
  isOurs(path: string): boolean;
  /** Changes to these files are ours until the returned function is called. */
  begin(paths: readonly string[]): () => void;
  /** Wraps a ledger and records what tools write. */
  trackingWrites<Kind extends ReadLedger>(ledger: Kind): Kind;
}

export function createOwnWrites(): OwnWrites {
  const written = new Map<string, string>();
  const underWay: (readonly string[])[] = [];

  function note(path: string, found: Stats | undefined): void {
    if (found) written.set(path, fileStamp(found));
    else written.delete(path);
  }

  return {
    isOurs(path) {
      if (underWay.some((paths) => paths.includes(path))) return true;
      const left = written.get(path);
      const found = left === undefined ? undefined : tryStat(path);
      return found !== undefined && left === fileStamp(found);
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
        // Not ours if the file changed after the tool wrote it.
        note(path, found?.mtimeMs === sighting.mtimeMs ? found : undefined);
      },
    }),
  };
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // no access to the folder
  }
}
