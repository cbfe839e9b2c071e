// Files where hooks set variables for later shell commands: `<config>/session-env/<session>/…-hook-<n>.sh`.
// They are kept so a resumed session can use them.

import { closeSync, lstatSync, readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "@keelson/protocol";
import { createPrivateFile } from "../files/private-file.ts";

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
    const { fd, path } = createPrivateFile(directory, name);
    closeSync(fd);
    return path;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? join(directory, name) : undefined;
  }
}

/** The files with content, in the order in which each command sources them. */
export function envFilesOf(configDir: string, sessionId: string): readonly string[] {
  return usableFiles(configDir, sessionId).map(({ path }) => path);
}

/** Clears the files for the old folder. Call it before CwdChanged hooks run. */
export function clearFolderEnvFiles(configDir: string, sessionId: string): void {
  for (const { event, path } of usableFiles(configDir, sessionId)) {
    if (event === "cwdchanged" || event === "filechanged") truncateSync(path);
  }
}

function usableFiles(configDir: string, sessionId: string) {
  const directory = directoryOf(configDir, sessionId);
  return namesIn(directory)
    .flatMap((name) => {
      const [, event, n] = NAME.exec(name) ?? [];
      return event ? [{ event, n: Number(n), path: join(directory, name) }] : [];
    })
    .filter(({ path }) => isUsable(path))
    .toSorted((a, b) => ORDER.indexOf(a.event) - ORDER.indexOf(b.event) || a.n - b.n);
}

const directoryOf = (configDir: string, sessionId: string) => join(configDir, "session-env", sessionId);

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // no hook has written a file
  }
}

function isUsable(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > 0 && found.size <= MAX_BYTES;
}
