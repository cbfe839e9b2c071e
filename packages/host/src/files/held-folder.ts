// Holds a folder open, so that work in it stays in it even if its path is replaced by a link.
// Linux uses paths through the open descriptor; elsewhere the folder is checked again before each step.

import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolError } from "@keelson/engine";
import { hasDescriptorPaths, isOpenAt } from "./real-path.ts";
import { replacedMessage } from "./regular-file.ts";

export interface HeldFolder extends Disposable {
  /** A path to this name in the folder. Use it immediately. */
  at(name: string): string;
}

/** Takes a path without links and creates missing folders. Throws if one has been replaced by a link. */
export function holdFolder(path: string): HeldFolder {
  return hasDescriptorPaths() ? holdByDescriptor(path) : holdByChecking(path);
}

/** Like `holdFolder`, but creates nothing. On systems that cannot hold a folder, it just uses the path. */
export function holdExistingFolder(path: string): HeldFolder {
  if (!hasDescriptorPaths()) return { at: (name) => join(path, name), [Symbol.dispose]() {} };
  let fd: number;
  try {
    fd = openSync(path, FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has become a link, which O_NOFOLLOW does not accept as a folder.
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

// O_PATH, missing in Node's constants: works even for folders that we may not list.
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
    // It may exist by now; it is checked like any other.
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
