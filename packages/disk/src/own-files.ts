// Keelson's own files (transcripts, outputs, mailboxes …), read and written with no link on any part of their path. Commands can
// put links, FIFOs and hard links in the place of such files; whatever is opened here is a regular file at exactly the given path.
// The folder that a path starts from may be reached through a link, if that is the user's: resolve it once, before the first
// command, and pass on paths below the result. The README says which folders those are.

import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hasDescriptorPaths, isOpenAt, realPathOf } from "./real-path.ts";

/** Something else is in the place of a file of ours. It is neither read nor written. */
export class NotOurFileError extends Error {
  override readonly name = "NotOurFileError";
}

export interface HeldFolder extends Disposable {
  /** A path to this name in the folder, wherever the folder is by now. Use it immediately. */
  at(name: string): string;
}

export interface HoldOptions {
  /** Creates missing folders, with this mode. */
  readonly create?: number;
}

/** Holds a folder open, so that work in it stays in it. Throws if a part of the path is a link. */
export function holdOwnFolder(path: string, options: HoldOptions = {}): HeldFolder {
  const folder = resolve(path);
  if (!hasDescriptorPaths()) return holdByChecking(folder, options);
  const fd = openFolder(folder, options);
  return { at: (name) => throughDescriptor(fd, name), [Symbol.dispose]: () => closeSync(fd) };
}

// O_PATH, missing in Node's constants: works even for folders that we may not list.
const FOLDER = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Other processes replace and remove files and folders: then the one that was opened is no longer at its path. */
const ATTEMPTS = 10;

function openFolder(path: string, options: HoldOptions): number {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const fd = openExisting(path, options) ?? makeFolder(path, options);
    if (isOpenAt(fd, path)) return fd;
    closeSync(fd);
  }
  throw linkError(path);
}

function openExisting(path: string, { create }: HoldOptions): number | undefined {
  try {
    return openSync(path, FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && create !== undefined) return undefined;
    // A link is no folder to the flags above, but a file in the place of a folder is none either.
    throw code === "ELOOP" || (code === "ENOTDIR" && isLink(path)) ? linkError(path) : error;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function makeFolder(path: string, options: HoldOptions): number {
  const parent = openFolder(dirname(path), options);
  try {
    const here = throughDescriptor(parent, basename(path));
    // It may exist by now; it is checked like any other.
    mkdirSync(here, { recursive: true, mode: options.create });
    return openExisting(here, {})!;
  } catch (error) {
    throw namingFolder(error, dirname(path));
  } finally {
    closeSync(parent);
  }
}

const throughDescriptor = (fd: number, name: string) => `/proc/self/fd/${fd}/${name}`;

/** People read the message: it has the path of the folder, not of its descriptor. */
export function namingFolder(error: unknown, folder: string): unknown {
  if (error instanceof Error) error.message = error.message.replace(/\/proc\/self\/fd\/\d+(?=\/)/, folder);
  return error;
}

/** Without paths through descriptors, the folder is checked again before each step. */
function holdByChecking(path: string, { create }: HoldOptions): HeldFolder {
  if (realPathOf(path) !== path) throw linkError(path);
  if (create !== undefined) mkdirSync(path, { recursive: true, mode: create });
  const held = lstatSync(path);
  return {
    at(name) {
      const now = lstatSync(path);
      if (now.ino !== held.ino || now.dev !== held.dev || realpathSync(path) !== path) throw linkError(path);
      return join(path, name);
    },
    [Symbol.dispose]() {},
  };
}

/** The caller closes it. Throws if there is none, or if it is not a regular file at exactly this path. */
export function openOwnFile(path: string): number {
  return checked(path, (file) => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
}

/**
 * At most `maxBytes` of a file, which may be growing, or as many as it says for the size of that file; undefined if there is
 * none. Throws as `openOwnFile` does.
 */
export function readOwnFile(path: string, maxBytes: number | ((size: number) => number)): Buffer | undefined {
  let fd: number;
  try {
    fd = openOwnFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return readStart(fd, typeof maxBytes === "number" ? maxBytes : maxBytes(fstatSync(fd).size));
  } finally {
    closeSync(fd);
  }
}

/** In bytes; undefined if there is none. Throws as `openOwnFile` does. */
export function ownFileSize(path: string): number | undefined {
  let fd: number;
  try {
    fd = openOwnFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}

/** A file that the user wrote, which may be behind the user's links; undefined if it is missing, too large or no regular file. */
export function readUserFile(path: string, maxBytes: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= maxBytes ? readStart(fd, maxBytes) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readStart(fd: number, maxBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, maxBytes));
  let done = 0;
  for (let got = -1; got !== 0 && done < bytes.length; done += got)
    got = readSync(fd, bytes, done, bytes.length - done, done);
  return bytes.subarray(0, done);
}

/** For reading and appending. Creates the file and its folders, for the user only. The caller closes it. */
export function appendOwnFile(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = checked(path, () => createIn(path, flags | constants.O_CREAT));
  if (fstatSync(fd).nlink === 1) return fd;
  closeSync(fd);
  // A backup, or another file under our name: the other name keeps what it has, and only ours grows.
  ownCopy(path);
  return checked(path, (file) => openSync(file, flags));
}

function ownCopy(path: string): void {
  using folder = holdOwnFolder(dirname(path));
  const [name, temporary] = [basename(path), `.${crypto.randomUUID()}.tmp`];
  try {
    copyFileSync(folder.at(name), folder.at(temporary), constants.COPYFILE_EXCL);
    renameSync(folder.at(temporary), folder.at(name));
  } catch (error) {
    rmSync(folder.at(temporary), { force: true });
    throw error;
  }
}

/** A new file for the user only, in folders that are created if needed. Fails with EEXIST if the name is taken. */
export function createOwnFile(path: string): number {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  return createIn(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW);
}

function createIn(path: string, flags: number): number {
  using folder = holdOwnFolder(dirname(path), { create: 0o700 });
  try {
    return openSync(folder.at(basename(path)), flags, 0o600);
  } catch (error) {
    throw namingFolder(error, dirname(resolve(path)));
  }
}

/** Nothing happens if there is none. A link is removed, not what it leads to. */
export function removeOwnFile(path: string): void {
  using folder = holdOwnFolder(dirname(path));
  rmSync(folder.at(basename(path)), { force: true });
}

/** The names in a folder of ours; none if there is no such folder, or a link is in its place. */
export function namesInOwnFolder(path: string): string[] {
  try {
    using folder = holdOwnFolder(path);
    return readdirSync(folder.at("."));
  } catch {
    return [];
  }
}

function checked(path: string, open: (path: string) => number): number {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const fd = checkedOnce(path, open);
    if (fd !== undefined) return fd;
  }
  throw linkError(path);
}

function checkedOnce(path: string, open: (path: string) => number): number | undefined {
  const file = resolve(path);
  let fd: number;
  try {
    fd = open(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") throw linkError(path);
    // A FIFO without a reader, or a socket.
    throw code === "ENXIO" ? notRegular(path) : error;
  }
  try {
    if (!fstatSync(fd).isFile()) throw notRegular(path);
    if (isOpenAt(fd, file)) return fd;
    closeSync(fd);
    return undefined;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
const notRegular = (path: string) => new NotOurFileError(`"${path}" is not a regular file; remove it`);
const linkError = (path: string) =>
  new NotOurFileError(`"${path}" is reached through a link, which is not followed; remove the link`);
