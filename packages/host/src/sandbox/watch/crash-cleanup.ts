// What has to be put right should we be killed: handed to the reaper, which outlives us by a moment.

import { closeSync, existsSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { createPrivateFile } from "../../files/private-file.ts";
import { randomHex } from "../../random.ts";
import type { Pristine } from "./watch.ts";

export interface CrashCleanup {
  /** An empty file of ours that has to go with us, or a folder that stands in for a missing one. */
  remove(path: string): void;
  /** How guarded paths have to be while commands run; null when nothing runs. */
  restore(pristine: Pristine | null): void;
  close(): void;
}

/** Understood by the reaper's script, one for each line. */
export interface CleanupProcess {
  leftover(path: string): void;
  /** `copy` is a file with what belongs at `path`; without one nothing may be there. */
  restore(paths: readonly { readonly path: string; readonly copy?: string }[]): void;
  arm(isArmed: boolean): void;
}

export function createCrashCleanup(cleanup: () => CleanupProcess | undefined): CrashCleanup {
  /** What each watched file contained, and our copy of that. */
  const copies = new Map<string, { readonly text: string; readonly copy: string }>();
  let lastSent = "";

  function copyOf(path: string, text: string): string | undefined {
    const known = copies.get(path);
    if (known?.text === text) return known.copy;
    try {
      const { fd, path: copy } = createPrivateFile(tmpdir(), `keelson-copy-${randomHex(12)}`);
      writeSync(fd, Buffer.from(text, "latin1"));
      closeSync(fd);
      if (known) drop(known.copy);
      copies.set(path, { text, copy });
      return copy;
    } catch {
      return undefined; // no room for a copy: only after a kill does that make a difference
    }
  }

  return {
    remove: (path) => cleanup()?.leftover(path),
    restore(pristine) {
      if (!pristine) return cleanup()?.arm(false);
      const files = [...pristine.files].flatMap(([path, text]) => {
        const copy = copyOf(path, text);
        return copy === undefined ? [] : [{ path, copy }];
      });
      const list = [...files, ...pristine.missing.map((path) => ({ path }))];
      const key = JSON.stringify(list);
      if (key !== lastSent) cleanup()?.restore(list);
      lastSent = key;
      cleanup()?.arm(true);
    },
    close: () => [...copies.values()].forEach(({ copy }) => drop(copy)),
  };
}

function drop(copy: string): void {
  if (existsSync(copy)) unlinkSync(copy);
}
