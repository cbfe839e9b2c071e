// Hands the reaper, which outlives us by a moment, what it must clean up if we are killed.

import { closeSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createOwnFile } from "@keelson/disk/own-files";
import { randomHex } from "../../random.ts";
import type { Pristine } from "./watch.ts";

export interface CrashCleanup {
  /** A stand-in folder to remove if it is empty. */
  remove(path: string): void;
  /** The original state of guarded paths while commands run; null if nothing runs. */
  restore(pristine: Pristine | null): void;
}

/** The commands that the reaper's script understands. */
export interface CleanupProcess {
  leftover(path: string): void;
  /** A folder of ours to remove, with everything in it. */
  ownFolder(path: string): void;
  /** The file of a list. In each line, before a tab, the file with the content for a path; without one, the path must not exist. */
  restore(list: string): void;
  arm(isArmed: boolean): void;
}

/** `folder` is the session's own temporary folder: commands must not change the copies in it. */
export function createCrashCleanup(cleanup: () => CleanupProcess | undefined, folder: () => string): CrashCleanup {
  /** The original content of each watched file, and the path of our copy. */
  const copies = new Map<string, { readonly text: string; readonly copy: string }>();
  /** The last two: when we are killed, the reaper may have been told of the newer one or not. */
  let lists: readonly { readonly text: string; readonly path: string }[] = [];

  /** In a file, because a shell reads what it is told byte by byte. Null if it could not be written. */
  function saveList(text: string): string | null {
    const last = lists.at(-1);
    if (last?.text === text) return last.path;
    const path = save(`restore-${randomHex(12)}`, text, "utf8");
    if (path === null) return null;
    for (const old of lists.slice(0, -1)) rmSync(old.path, { force: true });
    lists = [...lists.slice(-1), { text, path }];
    return path;
  }

  function save(name: string, text: string, encoding: "latin1" | "utf8"): string | null {
    try {
      const path = join(folder(), name);
      const fd = createOwnFile(path);
      writeSync(fd, Buffer.from(text, encoding));
      closeSync(fd);
      return path;
    } catch {
      return null; // the disk is full; this matters only if we are killed
    }
  }

  function copyOf(path: string, text: string): string | undefined {
    const known = copies.get(path);
    if (known?.text === text) return known.copy;
    const copy = save(`copy-${randomHex(12)}`, text, "latin1");
    if (copy === null) return undefined;
    if (known) rmSync(known.copy, { force: true });
    copies.set(path, { text, copy });
    return copy;
  }

  return {
    remove: (path) => cleanup()?.leftover(path),
    restore(pristine) {
      if (!pristine) return cleanup()?.arm(false);
      let text = "";
      for (const [path, content] of pristine.files) {
        const copy = copyOf(path, content);
        if (copy !== undefined && isOneField(path)) text += `${copy}\t${path}\n`;
      }
      for (const path of pristine.missing) if (isOneField(path)) text += `\t${path}\n`;
      const told = lists.at(-1)?.path;
      const list = saveList(text);
      if (list !== null && list !== told) cleanup()?.restore(list);
      cleanup()?.arm(true);
    },
  };
}

const isOneField = (path: string) => !path.includes("\n") && !path.includes("\t");
