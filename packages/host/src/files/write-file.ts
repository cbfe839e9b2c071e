// Writes a file whole or not at all: a private neighbour with a random name, then a rename.

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
import { holdFolder, type HeldFolder } from "./held-folder.ts";
import { randomHex } from "../random.ts";
import { realPathOf } from "./real-path.ts";
import { withToolErrors, isDeviceOrProc } from "./regular-file.ts";

/**
 * A link is written through, to the file it names; where somebody has checkedPath where the path leads, to `checkedPath` and
 * nowhere else. Throws ToolError naming the path and the cause.
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

/** Where a write to this path lands. */
function findTarget(path: string): string {
  if (!lstatOrNull(path)?.isSymbolicLink()) return realPathOf(path);
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Where a dangling link leads was not checkedPath by anybody; the caller has to name the file itself.
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
    // Already renamed or gone; the error that brought us here is the one to report.
  }
}
