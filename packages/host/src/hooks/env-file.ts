// Files where hooks set variables for later shell commands: `<config>/session-env/<session>/…-hook-<n>.sh`.
// They are kept so a resumed session can use them.

import { closeSync, ftruncateSync, rmSync } from "node:fs";
import { join } from "node:path";
import { appendOwnFile, holdOwnFolder, namesInOwnFolder, readOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import type { HookEvent } from "@keelson/protocol";

/** The order in which the files are sourced, from general to specific. */
const ORDER = ["setup", "sessionstart", "cwdchanged", "filechanged"];
const NAME = /^(setup|sessionstart|cwdchanged|filechanged)-hook-(\d{1,6})\.sh$/;
const MAX_BYTES = 1024 * 1024;

/**
 * The file of one hook, created if missing. Undefined for events without one, or if it cannot be created. `n` must be
 * stable for each hook: earlier content is kept for hooks that append.
 */
export function envFileFor(configDir: string, sessionId: string, event: HookEvent, n: number): string | undefined {
  const name = `${event.toLowerCase()}-hook-${n}.sh`;
  if (!NAME.test(name)) return undefined;
  const directory = directoryOf(configDir, sessionId);
  try {
    const path = join(directory, name);
    closeSync(appendOwnFile(path));
    return path;
  } catch {
    return undefined;
  }
}

/** The files with content, in the order in which each command sources them. */
export function envFilesOf(configDir: string, sessionId: string): readonly string[] {
  return usableFiles(configDir, sessionId).map(({ path }) => path);
}

export interface EnvFolder {
  /** Created at the first call, because only an existing folder can be protected. Empty if it cannot be created. */
  path(): readonly string[];
  /** Removes the folder if no hook used it. */
  close(): void;
}

/** The folder with these files. Only hooks write to it. */
export function openEnvFolder(configDir: string, sessionId: string): EnvFolder {
  const directory = directoryOf(configDir, sessionId);
  let made: readonly string[] | undefined;
  const make = () => {
    try {
      holdOwnFolder(directory, { create: 0o700 })[Symbol.dispose]();
      return [directory];
    } catch {
      return [];
    }
  };
  return {
    path: () => (made ??= make()),
    close() {
      if (made?.length && namesInOwnFolder(directory).length === 0) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Clears the files for the old folder. Call it before CwdChanged hooks run. */
export function clearFolderEnvFiles(configDir: string, sessionId: string): void {
  for (const { event, path } of usableFiles(configDir, sessionId)) {
    if (event === "cwdchanged" || event === "filechanged") empty(path);
  }
}

function empty(path: string): void {
  const fd = appendOwnFile(path);
  try {
    ftruncateSync(fd);
  } finally {
    closeSync(fd);
  }
}

function usableFiles(configDir: string, sessionId: string) {
  const directory = directoryOf(configDir, sessionId);
  return namesInOwnFolder(directory)
    .flatMap((name) => {
      const [, event, n] = NAME.exec(name) ?? [];
      return event ? [{ event, n: Number(n), path: join(directory, name) }] : [];
    })
    .filter(({ path }) => isUsable(path))
    .toSorted((a, b) => ORDER.indexOf(a.event) - ORDER.indexOf(b.event) || a.n - b.n);
}

const directoryOf = (configDir: string, sessionId: string) => join(realPathOf(configDir), "session-env", sessionId);

function isUsable(path: string): boolean {
  try {
    const size = readOwnFile(path, MAX_BYTES + 1)?.length ?? 0;
    return size > 0 && size <= MAX_BYTES;
  } catch {
    return false;
  }
}
