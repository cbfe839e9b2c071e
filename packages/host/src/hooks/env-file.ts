// Files where hooks set variables for later shell commands: `<config>/session-env/<session>/…-hook-<n>.sh`.
// They are kept so a resumed session can use them.

import { closeSync, ftruncateSync } from "node:fs";
import { join } from "node:path";
import { appendOwnFile, namesInOwnFolder, ownFileSize } from "@keelson/disk/own-files";
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
    const size = ownFileSize(path) ?? 0;
    return size > 0 && size <= MAX_BYTES;
  } catch {
    return false;
  }
}
