// Opens regular files only: no devices, FIFOs or sockets, and no link that appeared after the check.
// Knows nothing about permissions, but guarantees that the file it opens is the one that was checked.

import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, readSync, type Stats } from "node:fs";
import { ToolError } from "@keelson/engine";
import { isOpenAt } from "@keelson/disk/real-path";

export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
  readonly realPath: string;
}

/** Programs often replace files by rename; more failures than this in a row look like an attack. */
const ATTEMPTS = 3;

/**
 * The caller must close `fd`. Follows links in `path`, unless `checkedPath` is given: then it opens that real path or
 * nothing.
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

  const before = withToolErrors(path, () => lstatSync(realPath));
  if (before.isSymbolicLink()) return null;
  if (before.isDirectory()) throw new ToolError(`EISDIR: illegal operation on a directory, read '${path}'`);
  if (!before.isFile()) throw new ToolError(deviceMessage(path));

  // O_NONBLOCK: if a FIFO has replaced the file, open returns and the check below rejects it.
  const fd = withToolErrors(path, () => openNoLink(realPath));
  if (fd === null) return null;
  const stat = fstatSync(fd);
  // Check the path too: a parent folder that became a link leads to another file, and to the same one every time.
  const isSame = stat.isFile() && stat.dev === before.dev && stat.ino === before.ino && isOpenAt(fd, realPath);
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

/** Reads up to `maxBytes` of a small file, blocking. */
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

/** /dev and /proc expose the running system, including secrets of other processes. /dev/shm contains real files. */
export function isDeviceOrProc(path: string): boolean {
  return /^\/+(?:proc|dev(?!\/+shm\/))\//.test(path);
}

/** Runs a file operation and turns system errors into errors the model can read. */
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
  if (/^\/+proc\//.test(realPath)) return `Cannot read '${path}': /proc contains running processes, not files.`;
  return `Cannot read '${path}': this device file would block or produce infinite output.`;
}
