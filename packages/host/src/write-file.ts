// Writes a file whole or not at all: a private neighbour with a random name, then a rename.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ToolError } from "@keelson/engine";
import { attempt, isLivePath } from "./regular-file.ts";
import { randomHex } from "./random.ts";

/** A link is written through, to the file it names. Throws ToolError naming the path and the cause. */
export function writeFile(path: string, bytes: Uint8Array): void {
  attempt(path, () => {
    if (isLivePath(resolve(path))) throw new ToolError(notRegular(path));
    const target = targetOf(resolve(path));
    const old = look(target);
    if (old?.isDirectory()) throw new ToolError(`EISDIR: illegal operation on a directory, open '${path}'`);
    if (isLivePath(target) || (old && !old.isFile())) throw new ToolError(notRegular(path));
    replace(target, bytes, old);
  });
}

function notRegular(path: string): string {
  return `Cannot write '${path}': it is not a regular file.`;
}

function replace(target: string, bytes: Uint8Array, old: Stats | null): void {
  const temporary = join(dirname(target), `.keelson-${randomHex(8)}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, old ? 0o600 : 0o644);
  try {
    try {
      writeAll(fd, bytes);
      if (old) keepOwnerAndMode(fd, old);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } catch (error) {
    remove(temporary);
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

/** Where a write to this path lands, with its folder made. */
function targetOf(path: string): string {
  const there = look(path);
  if (there?.isSymbolicLink()) {
    try {
      return realpathSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      // Where a dangling link leads was not judged by anybody; the caller has to name the file itself.
      throw new ToolError(`'${path}' is a link to '${readlinkSync(path)}', which does not exist. Write to that path.`);
    }
  }
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  return join(realpathSync(folder), basename(path));
}

function look(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already renamed or gone; the error that brought us here is the one to report.
  }
}
