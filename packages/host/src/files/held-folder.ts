// A folder held in place: what is done in it stays in it, whatever its path leads to by then.
// Linux reaches names through the open descriptor; elsewhere the folder is looked at again before each step.

import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "@keelson/engine";
import { hasDescriptorPaths, isOpenAt } from "./real-path.ts";
import { replacedMessage } from "./regular-file.ts";

export interface HeldFolder extends Disposable {
  /** A path for a name in the folder, to be used at once. */
  at(name: string): string;
}

/** Takes a path without links and makes the folders that are missing. Throws when a link has taken the place of one. */
export function holdFolder(path: string): HeldFolder {
  return hasDescriptorPaths() ? holdByDescriptor(path) : holdByChecking(path);
}

/** The same for a folder that is there already: none is made. Where a folder cannot be held, its path has to do. */
export function holdExistingFolder(path: string): HeldFolder {
  if (!hasDescriptorPaths()) return { at: (name) => join(path, name), [Symbol.dispose]() {} };
  let fd: number;
  try {
    fd = openSync(path, FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A link, by now: its own name is not a folder.
    throw code === "ENOTDIR" ? movedError(path) : new ToolError(`'${path}' cannot be opened (${code}).`);
  }
  return heldFolderOf(verifyOpen(fd, path));
}

function holdByDescriptor(path: string): HeldFolder {
  return heldFolderOf(openFolder(path));
}

function heldFolderOf(fd: number): HeldFolder {
  return { at: (name) => pathThrough(fd, name), [Symbol.dispose]: () => closeSync(fd) };
}

// O_PATH, which Node has no name for: a place to start from, also in folders that may not be listed.
const FOLDER = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function openFolder(path: string): number {
  return verifyOpen(openIfExists(path) ?? makeAndOpen(path), path);
}

function verifyOpen(fd: number, path: string): number {
  if (isOpenAt(fd, path)) return fd;
  closeSync(fd);
  throw movedError(path);
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, FOLDER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function makeAndOpen(path: string): number {
  const parent = openFolder(dirname(path));
  try {
    // Not an error when somebody else was faster: what they made is checked like the rest.
    mkdirSync(pathThrough(parent, basename(path)), { recursive: true });
    return openSync(pathThrough(parent, basename(path)), FOLDER);
  } finally {
    closeSync(parent);
  }
}

const pathThrough = (fd: number, name: string) => `/proc/self/fd/${fd}/${name}`;

function holdByChecking(path: string): HeldFolder {
  mkdirSync(path, { recursive: true });
  const held = lstatSync(path);
  return {
    at(name) {
      const now = lstatSync(path);
      if (now.ino !== held.ino || now.dev !== held.dev || realpathSync(path) !== path) throw movedError(path);
      return join(path, name);
    },
    [Symbol.dispose]() {},
  };
}

const movedError = (path: string) => new ToolError(replacedMessage(path));
