// Writes a file atomically: to a private temporary file in the same folder, then a rename.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ToolError } from "@keelson/engine";
import type { HeldFolder } from "@keelson/disk/own-files";
import { holdFolder } from "./held-folder.ts";
import { randomHex } from "../random.ts";
import { realPathOf } from "@keelson/disk/real-path";
import { withToolErrors, isDeviceOrProc } from "./regular-file.ts";

/**
 * Writes through links to their target, unless `checkedPath` is given: then it writes there or nowhere. Throws ToolError
 * with the path and the cause.
 */
export function writeFile(path: string, bytes: Uint8Array, checkedPath?: string): void {
  withToolErrors(path, () => {
    const target = checkedPath ?? findTarget(resolve(path));
    if (isDeviceOrProc(resolve(path)) || isDeviceOrProc(target)) throw new ToolError(notRegular(path));
    using folder = holdFolder(dirname(target));
    const name = basename(target);
    const old = lstatOrNull(folder.at(name));
    if (old?.isDirectory()) throw new ToolError(`EISDIR: illegal operation on a directory, open '${path}'`);
    if (old && !old.isFile()) throw new ToolError(notRegular(path));
    replaceFile(folder, name, bytes, old);
  });
}

function notRegular(path: string): string {
  return `Cannot write '${path}': it is not a regular file.`;
}

function replaceFile(folder: HeldFolder, name: string, bytes: Uint8Array, old: Stats | null): void {
  const temporary = `.keelson-${randomHex(8)}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(folder.at(temporary), flags, old ? 0o600 : 0o644);
  try {
    try {
      writeAll(fd, bytes);
      if (old) keepOwnerAndMode(fd, old);
    } finally {
      closeSync(fd);
    }
    renameSync(folder.at(temporary), folder.at(name));
  } catch (error) {
    remove(folder, temporary);
    throw error;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
}

function keepOwnerAndMode(fd: number, old: Stats): void {
  const ours = process.geteuid?.();
  if (ours === 0) fchownSync(fd, old.uid, old.gid);
  fchmodSync(fd, old.mode & 0o7777);
}

/** The file that a write to this path replaces. */
function findTarget(path: string): string {
  if (!lstatOrNull(path)?.isSymbolicLink()) return realPathOf(path);
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The gate has not checked the target of a dangling link, so the caller must use that path.
    throw new ToolError(`'${path}' is a link to '${readlinkSync(path)}', which does not exist. Write to that path.`);
  }
}

function lstatOrNull(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function remove(folder: HeldFolder, name: string): void {
  try {
    unlinkSync(folder.at(name));
  } catch {
    // Already renamed or gone; the caller reports the original error.
  }
}
