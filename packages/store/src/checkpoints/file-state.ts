// Reads and replaces single files: never follows links, reads only regular files, and writes by renaming.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { holdOwnFolder, NotOurFileError, openOwnFile } from "@keelson/disk/own-files";
import { fileStamp } from "@keelson/protocol";

/** Larger files are not kept, and tools do not edit them. */
const MOST_BYTES = 50 * 1024 * 1024;

export type FileState =
  | {
      readonly kind: "file";
      readonly bytes: Buffer;
      readonly mode: number;
      readonly stamp: string;
      readonly mtimeMs: number;
    }
  | { readonly kind: "absent" }
  | { readonly kind: "link" }
  /** A folder, a device, or a file that is too large or unreadable. */
  | { readonly kind: "other" };

/** `stamp` changes whenever the file does. If it equals `known`, the file is not read. */
export function fileState(path: string, known?: string): FileState | "unchanged" {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: "absent" };
  if (stat.isSymbolicLink()) return { kind: "link" };
  if (!stat.isFile() || stat.size > MOST_BYTES) return { kind: "other" };
  if (known !== undefined && fileStamp(stat) === known) return "unchanged";
  let fd: number;
  try {
    fd = openOwnFile(path);
  } catch (error) {
    if (error instanceof NotOurFileError) return { kind: "link" };
    return { kind: (error as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "other" };
  }
  try {
    const opened = fstatSync(fd);
    if (!opened.isFile() || opened.size > MOST_BYTES) return { kind: "other" };
    const { mode, mtimeMs } = opened;
    return { kind: "file", bytes: readAll(fd, opened.size), mode: mode & 0o777, stamp: fileStamp(opened), mtimeMs };
  } finally {
    closeSync(fd);
  }
}

/** Whether the path of a folder, as far as it exists, has no links. */
export function hasNoLinks(folder: string): boolean {
  try {
    return realpathSync(folder) === folder;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    // A link to nothing is missing, too.
    const isLink = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    return isMissing && !isLink && dirname(folder) !== folder && hasNoLinks(dirname(folder));
  }
}

/** Replaces the file completely or not at all. Its folder must exist, and the path must have no links. */
export function put(path: string, bytes: Uint8Array, mode: number): void {
  inFolder(path, (at, name) => {
    const temporary = at(`.keelson-${crypto.randomUUID().slice(0, 8)}.tmp`);
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      try {
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
        fchmodSync(fd, mode);
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, at(name));
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    }
  });
}

export function remove(path: string): void {
  inFolder(path, (at, name) => unlinkSync(at(name)));
}

/** Keeps the folder open, so it cannot be replaced by a link between the check and the change. */
function inFolder(path: string, act: (at: (name: string) => string, name: string) => void): void {
  using folder = holdOwnFolder(dirname(path));
  act((name) => folder.at(name), basename(path));
}

function readAll(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const got = readSync(fd, bytes, done, size - done, done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}
