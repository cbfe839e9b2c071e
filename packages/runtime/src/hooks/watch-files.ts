// Watches the files that FileChanged hooks name, by matcher or by `watchPaths`. Watches their folders, to see files that
// do not exist yet or are replaced by a rename.

import { existsSync, statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

export type FileEvent = "change" | "add" | "unlink";

export interface FileWatch {
  /** Watches absolute paths that are not watched yet. */
  add(paths: readonly string[]): void;
  close(): void;
}

/** More than this is a mistake in a hook. */
const MAX_WATCHED_FILES = 1_000;
/** Editors write a file in several steps; they are reported as one change. */
const SETTLE_MS = 50;

export function watchFiles(changed: (path: string, event: FileEvent) => void): FileWatch {
  const folders = new Map<string, { readonly watcher: FSWatcher; readonly names: Set<string> }>();
  const known = new Map<string, string | undefined>();
  const pending = new Map<string, NodeJS.Timeout>();

  const look = (path: string) => {
    pending.delete(path);
    const before = known.get(path);
    const now = stampOf(path);
    known.set(path, now);
    if (before === now) return;
    changed(path, before === undefined ? "add" : now === undefined ? "unlink" : "change");
  };
  const touched = (path: string) => {
    clearTimeout(pending.get(path));
    const timer = setTimeout(look, SETTLE_MS, path);
    timer.unref();
    pending.set(path, timer);
  };

  const follow = (folder: string) => {
    const names = new Set<string>();
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null) for (const each of names) touched(join(folder, each));
      else if (names.has(name)) touched(join(folder, name));
    });
    // The folder may be deleted.
    watcher.on("error", () => watcher.close());
    const entry = { watcher, names };
    folders.set(folder, entry);
    return entry;
  };

  return {
    add(paths) {
      for (const path of paths) {
        if (known.has(path) || known.size >= MAX_WATCHED_FILES || !isAbsolute(path)) continue;
        const folder = dirname(path);
        if (!existsSync(folder)) continue;
        try {
          (folders.get(folder) ?? follow(folder)).names.add(basename(path));
          known.set(path, stampOf(path));
        } catch {
          // No watches left, or no access: changes to this file are not reported.
        }
      }
    },
    close() {
      for (const { watcher } of folders.values()) watcher.close();
      for (const timer of pending.values()) clearTimeout(timer);
    },
  };
}

/** The files a matcher names: base names in the working directory, separated by `|`. */
export function namedFiles(matcher: string | undefined, cwd: string): string[] {
  if (matcher === undefined || !/^[\w|.\- ]+$/.test(matcher)) return [];
  return matcher
    .split("|")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "." && name !== "..")
    .map((name) => join(cwd, name));
}

function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}
