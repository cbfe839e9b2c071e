// Files in which hooks leave variables for the shell commands to come: `<config>/session-env/<session>/…-hook-<n>.sh`.
// They stay with the session, so that one resumed later finds them.

import { closeSync, lstatSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent } from "@keelson/protocol";
import { createPrivateFile, privateDirectory } from "../files/private-file.ts";

/** In the order the files are run: what knows more about the moment comes later. */
const ORDER = ["setup", "sessionstart", "cwdchanged", "filechanged"];
const NAME = /^(setup|sessionstart|cwdchanged|filechanged)-hook-(\d{1,6})\.sh$/;
const MAX_BYTES = 1024 * 1024;

/**
 * The file of one hook, made when it is missing. Nothing for events that have none, and where none can be made. `n`
 * has to stay the same for the same hook: what it wrote earlier is kept, for hooks that only add.
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

/** The files that hold anything, in the order in which commands run them. For `createShell`, before each command. */
export function envFilesOf(configDir: string, sessionId: string): readonly string[] {
  return usableFiles(configDir, sessionId).map(({ path }) => path);
}

export interface EnvFolder {
  /** Made the first time: a folder that is there can be kept from commands. Empty where none can be made. */
  path(): readonly string[];
  /** Removes it again if no hook used it. */
  close(): void;
}

/** The folder of these files. Only hooks write there. */
export function openEnvFolder(configDir: string, sessionId: string): EnvFolder {
  const directory = directoryOf(configDir, sessionId);
  let made: readonly string[] | undefined;
  const make = () => {
    try {
      return [privateDirectory(directory)];
    } catch {
      return [];
    }
  };
  return {
    path: () => (made ??= make()),
    close() {
      if (made && namesIn(directory).length === 0) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The session moved: what was meant for the old folder no longer holds. Before CwdChanged is fired. */
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
    return []; // no hook wrote anything
  }
}

function isUsable(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > 0 && found.size <= MAX_BYTES;
}
