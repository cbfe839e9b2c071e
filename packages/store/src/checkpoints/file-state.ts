// One file at one place, by what it is: links are never followed, only regular files are read, and writes are renames.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileStamp } from "@keelson/protocol";

/** Larger files are not kept; tools do not edit them either. */
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
  /** A folder, a device, a file too large or one we may not read. */
  | { readonly kind: "other" };

/** What is there now. `stamp` is the same as long as nobody touched it; with `known` equal to it nothing is read. */
export function fileState(path: string, known?: string): FileState | "unchanged" {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { kind: "absent" };
  if (stat.isSymbolicLink()) return { kind: "link" };
  if (!stat.isFile() || stat.size > MOST_BYTES) return { kind: "other" };
  if (known !== undefined && fileStamp(stat) === known) return "unchanged";
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return { kind: "other" };
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

/** Whether a folder is where it was, reached without any link. */
export function isSameFolder(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}

/** Puts these bytes there, whole or not at all. The folder must exist, without a link on the way. */
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

/** Holds the folder open meanwhile, so that it cannot be swapped for a link between looking and doing. */
function inFolder(path: string, act: (at: (name: string) => string, name: string) => void): void {
  const folder = dirname(path);
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${fd}`;
    const canHold = process.platform === "linux" && lstatSync(held, { throwIfNoEntry: false }) !== undefined;
    if ((canHold ? readlinkSync(held) : realpathSync(folder)) !== folder) {
      throw new Error(`A link stands on the way to "${path}"`);
    }
    act((name) => join(canHold ? held : folder, name), basename(path));
  } finally {
    closeSync(fd);
  }
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
