// Hands the reaper, which outlives us by a moment, what it must clean up if we are killed.

import { closeSync, existsSync, realpathSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { createPrivateFile } from "../../files/private-file.ts";
import { randomHex } from "../../random.ts";
import type { Pristine } from "./watch.ts";

export interface CrashCleanup {
  /** An empty file or a stand-in folder to remove. */
  remove(path: string): void;
  /** The original state of guarded paths while commands run; null if nothing runs. */
  restore(pristine: Pristine | null): void;
  close(): void;
}

/** The commands that the reaper's script understands. */
export interface CleanupProcess {
  leftover(path: string): void;
  /** `copy` is a file with the content for `path`; without one, `path` must not exist. */
  restore(paths: readonly { readonly path: string; readonly copy?: string }[]): void;
  arm(isArmed: boolean): void;
}

export function createCrashCleanup(cleanup: () => CleanupProcess | undefined): CrashCleanup {
  /** The original content of each watched file, and the path of our copy. */
  const copies = new Map<string, { readonly text: string; readonly copy: string }>();
  let lastSent = "";

  function copyOf(path: string, text: string): string | undefined {
    const known = copies.get(path);
    if (known?.text === text) return known.copy;
    try {
      const { fd, path: copy } = createPrivateFile(realpathSync(tmpdir()), `keelson-copy-${randomHex(12)}`);
      writeSync(fd, Buffer.from(text, "latin1"));
      closeSync(fd);
      if (known) drop(known.copy);
      copies.set(path, { text, copy });
      return copy;
    } catch {
      return undefined; // the disk is full; this matters only if we are killed
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
