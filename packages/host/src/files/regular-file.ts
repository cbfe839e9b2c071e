// Opens regular files and nothing else: no device, FIFO or socket, and no link that appeared after we looked.
// Knows nothing of permissions; it makes sure that what is opened is what was looked at.

import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, readSync, type Stats } from "node:fs";
import { ToolError } from "@keelson/engine";
import { isOpenAt } from "./real-path.ts";

export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
  readonly realPath: string;
}

/** Files are replaced by rename all the time; only somebody who tries gets in the way this often. */
const ATTEMPTS = 3;

/**
 * The caller closes `fd`. `path` may be a link: its target is what gets opened. Where somebody has checkedPath where it
 * leads, `checkedPath` is that, and nothing else is opened.
 */
export function openRegularFile(path: string, checkedPath?: string): OpenFile {
  for (let attempts = 1; attempts <= ATTEMPTS; attempts++) {
    const opened = openOnce(path, checkedPath);
    if (opened !== null) return opened;
  }
  throw new ToolError(replacedMessage(path));
}

function openOnce(path: string, checkedPath: string | undefined): OpenFile | null {
  if (isDeviceOrProc(path)) throw new ToolError(deviceMessage(path));
  const realPath = checkedPath ?? withToolErrors(path, () => realpathSync(path));
  if (isDeviceOrProc(realPath)) throw new ToolError(deviceMessage(path, realPath));

  const looked = withToolErrors(path, () => lstatSync(realPath));
  if (looked.isSymbolicLink()) return null;
  if (looked.isDirectory()) throw new ToolError(`EISDIR: illegal operation on a directory, read '${path}'`);
  if (!looked.isFile()) throw new ToolError(deviceMessage(path));

  // O_NONBLOCK: should a FIFO have taken the place of the file, the open returns and the check below refuses it.
  const fd = withToolErrors(path, () => openNoLink(realPath));
  if (fd === null) return null;
  const stat = fstatSync(fd);
  // By place too: a folder on the way that became a link leads to another file, and to the same one every time.
  const isSame = stat.isFile() && stat.dev === looked.dev && stat.ino === looked.ino && isOpenAt(fd, realPath);
  if (isSame) return { fd, stat, realPath };
  closeSync(fd);
  return null;
}

function openNoLink(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return null;
    throw error;
  }
}

/** The head of a regular file, read at once; for small files. */
export function readRegularFile(path: string, maxBytes: number): Uint8Array {
  const { fd, stat } = openRegularFile(path);
  try {
    return readBytes(fd, Math.min(stat.size, maxBytes));
  } finally {
    closeSync(fd);
  }
}

export function readBytes(fd: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(fd, bytes, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** /dev and /proc are views of a running machine, secrets of other processes included; /dev/shm holds real files. */
export function isDeviceOrProc(path: string): boolean {
  return /^\/+(?:proc|dev(?!\/+shm\/))\//.test(path);
}

/** Runs a file operation; what the system refuses becomes an error the model can read. */
export function withToolErrors<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw toToolError(path, error);
  }
}

export function toToolError(path: string, error: unknown): unknown {
  if (error instanceof ToolError || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  return new ToolError(`${code}: ${CAUSES[code] ?? error.message} ('${path}')`);
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: "permission denied; the user running this program may not access the file",
  EPERM: "operation not permitted; the file may be marked immutable",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device; free some and try again",
  EDQUOT: "the disk quota is used up; free some space and try again",
  ENOENT: "no such file or directory",
  ENOTDIR: "a part of the path is not a directory",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
};

export function replacedMessage(path: string): string {
  return `'${path}' was replaced while it was being opened. Try again.`;
}

function deviceMessage(path: string, realPath = path): string {
  if (/^\/+proc\//.test(realPath)) return `Cannot read '${path}': /proc shows running processes, not files.`;
  return `Cannot read '${path}': this device file would block or produce infinite output.`;
}
