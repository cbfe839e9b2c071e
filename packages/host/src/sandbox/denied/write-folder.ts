// In the place of a folder that commands may not read: an empty one that they can write to. What they write is carried into
// the real folder, which they never see. Knows nothing about rules.

import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  type Stats,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileStamp } from "@keelson/protocol";
import { randomHex } from "../../random.ts";
import { lstatOrNull } from "../guarded/stat.ts";
import { imitate } from "../shield/mask.ts";
import { trackedIn, type TrackedFiles } from "./git-index.ts";

interface WriteFolder {
  /** The folder that commands may not read. */
  readonly path: string;
  /** What they get instead of it. */
  readonly source: string;
  /** How many files in `source` stand in for real ones. */
  readonly likenesses: number;
  /** Carries what is new. Returns what could not be kept, and why; each is reported once. */
  carry(): string[];
  /** Carries the rest, and removes `source`. */
  close(): string[];
}

// O_PATH, missing in Node's constants.
const FOLDER = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE = 0o10000000 | constants.O_NOFOLLOW;
/** More are not worth the time; git then takes them for deleted, which is reported. */
const MAX_LIKENESSES = 5_000;

interface Carried {
  /** Of the file that was written. */
  readonly stamp: string;
  /** Of the real one. */
  readonly asKept: string;
  /** If it stands in for a real file. */
  readonly likeness?: Likeness;
}

interface Likeness {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  /** The mode of the real file. */
  readonly realMode: number;
}

/**
 * Null if it is no folder that we can write to. Linux only. `among`: a folder of ours; `tracked`: files that git must not take for
 * deleted. Root could read what stands in for them.
 */
function openWriteFolder(path: string, among: string, tracked: TrackedFiles): WriteFolder | null {
  let real: number;
  try {
    real = openSync(path, FOLDER);
  } catch {
    return null;
  }
  const source = join(among, `write-${randomHex(8)}`);
  try {
    const { mode, uid, gid } = statSync(through(real));
    // Root may write everywhere; whoever owns the folder shall own what stands in for it.
    if (process.getuid?.() !== 0 && uid !== process.getuid?.()) throw new Error("owned by another user");
    mkdirSync(source);
    if (process.getuid?.() === 0) chownSync(source, uid, gid);
    chmodSync(source, (mode & 0o7777) | 0o700);
  } catch {
    closeSync(real);
    rmSync(source, { recursive: true, force: true });
    return null;
  }
  const carried = process.getuid?.() === 0 ? new Map<string, Carried>() : likenessesIn(source, path, real, tracked);
  const likenesses = carried.size;
  const reported = new Set<string>();
  let isOpen = true;

  function carry(): string[] {
    if (!isOpen) return [];
    const problems: string[] = [];
    const seen = new Set<string>();
    const unread: string[] = [];
    const report = (name: string, why: string) => {
      if (!reported.has(name)) problems.push(`'${join(path, name)}' could not be kept: ${why}`);
      reported.add(name);
    };
    let origins: ReadonlyMap<number | undefined, string> | undefined;
    const originOf = (ino: number) =>
      (origins ??= new Map([...carried].map(([name, { likeness }]) => [likeness?.ino, name]))).get(ino);
    const carrying = { real, carried, seen, unread, originOf, report };
    carryInto(source, "", carrying, (from) => carryFolder(from, real, "", carrying));
    for (const [name, { asKept }] of carried) {
      if (seen.has(name) || unread.some((folder) => folder === "" || name.startsWith(`${folder}/`))) continue;
      carried.delete(name);
      removeCarried(real, name.split("/"), asKept);
    }
    return problems;
  }

  return {
    path,
    source,
    likenesses,
    carry,
    close() {
      const problems = carry();
      if (isOpen) closeSync(real);
      isOpen = false;
      removeFolder(source);
      return problems;
    },
  };
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/** A command may have closed a folder in it to us; then it goes with the session's folder, or stays. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Nobody reads it again.
  }
}

interface WriteFoldersOptions {
  /** The files of the repository that a path is in. */
  trackedNear(path: string): TrackedFiles;
  /** A folder of ours. */
  among(): string;
  /** Reports what could not be kept while no command was there to say so. */
  warn(text: string): void;
}

/** Those of one command. */
interface OpenedFolders {
  readonly folders: readonly WriteFolder[];
  /** All that commands can write to. */
  readonly paths: readonly string[];
  readonly likenesses: number;
  /** Call when the command has ended; its children may still write. */
  carry(): string[];
  /** Call when no child is left. */
  close(): void;
}

const CARRY_EVERY_MS = 1_000;
/** Of ended commands; children of older ones can no longer write. */
const MAX_LEFT = 20;

export function createWriteFolders({ among, warn, trackedNear }: WriteFoldersOptions) {
  const left: OpenedFolders[] = [];

  return {
    /** One that is empty has nothing to hide, so it needs none. */
    open(paths: readonly string[]): OpenedFolders {
      const empty = paths.filter(isEmpty);
      const folders = paths.flatMap((path) =>
        empty.includes(path) ? [] : (openWriteFolder(path, among(), trackedIn(path, trackedNear(path))) ?? []),
      );
      const carry = () => folders.flatMap((each) => each.carry());
      const timer = folders.length === 0 ? undefined : setInterval(() => carry().forEach(warn), CARRY_EVERY_MS);
      timer?.unref();
      const opened: OpenedFolders = {
        folders,
        likenesses: folders.reduce((sum, each) => sum + each.likenesses, 0),
        paths: [...empty, ...folders.map(({ path }) => path)],
        carry() {
          if (folders.length > 0 && left.push(opened) > MAX_LEFT) left[0]!.close();
          return carry();
        },
        close() {
          clearInterval(timer);
          for (const each of folders) each.close().forEach(warn);
          if (left.includes(opened)) left.splice(left.indexOf(opened), 1);
        },
      };
      return opened;
    },
  };
}

interface Carrying {
  readonly real: number;
  readonly carried: Map<string, Carried>;
  readonly seen: Set<string>;
  /** Folders of which not everything was seen: what is missing there was perhaps not removed. */
  readonly unread: string[];
  /** The name of the real file that an inode stands in for. A command may have renamed it. */
  originOf(ino: number): string | undefined;
  report(name: string, why: string): void;
}

/** Each level holds two folders open. */
const MAX_DEPTH = 64;

function carryInto(source: string, inside: string, carrying: Carrying, work: (from: number) => void): void {
  try {
    if (inside.split("/").length > MAX_DEPTH) throw new Error("it is too deep");
    if (!inFolder(source, work)) throw new Error("it cannot be opened");
  } catch (error) {
    carrying.unread.push(inside);
    carrying.report(inside, withoutFolder(error));
  }
}

const withoutFolder = (error: unknown) => (error as Error).message.replaceAll(/\/proc\/self\/fd\/\d+\//g, "");

/** Names are looked up in folders that are held open: a process that still runs may put links in their place. */
function carryFolder(from: number, to: number, prefix: string, carrying: Carrying): void {
  const { carried, seen, unread, report } = carrying;
  for (const name of readdirSync(through(from))) {
    const inside = prefix === "" ? name : `${prefix}/${name}`;
    const [source, target] = [through(from, name), through(to, name)];
    const entry = lstatOrNull(source);
    if (!entry) continue;
    try {
      if (entry.isDirectory()) {
        if (!lstatOrNull(target)) mkdirSync(target, { mode: entry.mode & 0o7777 });
        else if (!lstatSync(target).isDirectory()) {
          report(inside, "a file or link has the name of this folder");
          continue;
        }
        carryInto(source, inside, carrying, (below) => {
          if (!inFolder(target, (kept) => carryFolder(below, kept, inside, carrying))) unread.push(inside);
        });
        continue;
      }
      seen.add(inside);
      const before = carried.get(inside);
      if (before?.stamp === fileStamp(entry)) continue;
      if (lstatOrNull(target)?.isDirectory()) {
        report(inside, "a folder has the name of this file");
        continue;
      }
      const isSame = before?.likeness?.ino === entry.ino;
      const origin = isSame ? inside : carrying.originOf(entry.ino);
      const likeness = carried.get(origin ?? "")?.likeness;
      const isUnwritten = likeness?.size === entry.size && likeness.mtimeMs === entry.mtimeMs;
      // It got another name besides.
      if (isSame && isUnwritten && likeness.mode === entry.mode) {
        carried.set(inside, { ...before, stamp: fileStamp(entry) });
        continue;
      }
      if (entry.isSymbolicLink()) replace(to, name, (path) => symlinkSync(readlinkSync(source), path), entry);
      else if (!entry.isFile())
        continue; // sockets and pipes belong to who made them
      else if (origin !== undefined && !isSame && isUnwritten) linkReal(origin, to, name, carrying);
      else replace(to, name, (path) => copy(source, path, likeness), entry);
      carried.set(inside, {
        stamp: fileStamp(lstatSync(source)),
        asKept: fileStamp(lstatSync(target)),
        ...(likeness && { likeness }),
      });
    } catch (error) {
      const origin = carrying.originOf(entry.ino);
      if (origin !== undefined) seen.add(origin);
      report(inside, withoutFolder(error));
    }
  }
}

/** A command renamed or linked what stands in for a real file: so is the real one. */
function linkReal(origin: string, to: number, name: string, { real, carried }: Carrying): void {
  const before = carried.get(origin)!;
  const isDone = atParent(real, origin.split("/"), (folder, last) => {
    const file = through(folder, last);
    const wasOurs = fileStamp(lstatSync(file)) === before.asKept;
    replace(to, name, (path) => linkSync(file, path), null);
    if (wasOurs) carried.set(origin, { ...before, asKept: fileStamp(lstatSync(file)) });
  });
  if (!isDone) throw new Error("what was in this folder before cannot be moved");
}

function copy(source: string, target: string, likeness: Likeness | undefined): void {
  const fd = openSync(source, FILE);
  try {
    const file = `/proc/self/fd/${fd}`;
    const entry = fstatSync(fd);
    const { ino, mode, atimeMs, mtimeMs } = entry;
    // A process that still runs may have put a pipe here since.
    if (!entry.isFile()) throw new Error("it is no longer a file");
    const isLikeness = ino === likeness?.ino;
    if ((mode & 0o400) === 0) chmodSync(file, (mode & 0o777) | 0o400);
    if (isLikeness && isPartlyWritten(file, likeness.size)) {
      throw new Error("what was in it before can be replaced as a whole, but not changed");
    }
    copyFileSync(file, target, constants.COPYFILE_EXCL);
    chmodSync(target, (isLikeness ? likeness.realMode : mode) & 0o777);
    utimesSync(target, atimeMs / 1_000, mtimeMs / 1_000);
  } finally {
    closeSync(fd);
  }
}

/** The end of what stands in for a file. Whoever writes the file anew removes it. */
const MARKER = randomHex(16);

/** Whether something was added to or changed in a file that stands in for one of this size. */
function isPartlyWritten(path: string, size: number): boolean {
  if (size === 0) return false;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const has = (expected: Buffer, at: number) => {
      const bytes = Buffer.alloc(expected.length);
      return readSync(fd, bytes, 0, bytes.length, at) === bytes.length && bytes.equals(expected);
    };
    if (size < MARKER.length) return has(Buffer.alloc(size), 0);
    const start = Buffer.alloc(Math.min(size - MARKER.length, 4_096));
    return has(Buffer.from(MARKER), size - MARKER.length) || (start.length > MARKER.length && has(start, 0));
  } finally {
    closeSync(fd);
  }
}

/** Fills an empty folder with what stands in for the files that git tracks. */
function likenessesIn(source: string, path: string, real: number, tracked: TrackedFiles): Map<string, Carried> {
  const made = new Map<string, Carried>();
  if (tracked.size > MAX_LIKENESSES) return made;
  for (const [file, known] of tracked) {
    const name = relative(path, file);
    const entry = lstatOrNull(through(real, name));
    if (!entry?.isFile() || name.split("/").includes("..")) continue;
    const likeness = join(source, name);
    mkdirSync(dirname(likeness), { recursive: true });
    imitate(likeness, known, { mode: 0o200, end: MARKER });
    const stat = lstatSync(likeness);
    const { ino, size, mtimeMs, mode } = stat;
    made.set(name, {
      stamp: fileStamp(stat),
      asKept: fileStamp(entry),
      likeness: { ino, size, mtimeMs, mode, realMode: entry.mode },
    });
  }
  return made;
}

/** `owner`: of what is made, if it is to have one. */
function replace(folder: number, name: string, make: (path: string) => void, owner: Stats | null): void {
  const temporary = through(folder, `.${name.slice(0, 100)}.${randomHex(8)}`);
  try {
    make(temporary);
    if (owner && process.getuid?.() === 0) lchownSync(temporary, owner.uid, owner.gid);
    renameSync(temporary, through(folder, name));
  } finally {
    // Still there if that failed, or if both are the same file.
    rmSync(temporary, { force: true });
  }
}

/** A process that still runs removed what it had written. What someone else has put there since stays. */
function removeCarried(folder: number, parts: readonly string[], asKept: string): void {
  atParent(folder, parts, (parent, name) => {
    const path = through(parent, name);
    const entry = lstatOrNull(path);
    if (entry && fileStamp(entry) === asKept) rmSync(path, { force: true });
  });
}

/** Opens the folders on the way, through no link. False if there is one. */
function atParent(
  folder: number,
  [name, ...more]: readonly string[],
  work: (parent: number, name: string) => void,
): boolean {
  if (more.length === 0) {
    work(folder, name!);
    return true;
  }
  let isDone = false;
  inFolder(through(folder, name!), (below) => (isDone = atParent(below, more, work)));
  return isDone;
}

/** False if it is none, or a link, or cannot be opened. */
function inFolder(path: string, work: (fd: number) => void): boolean {
  let fd: number;
  try {
    fd = openSync(path, FOLDER);
  } catch {
    return false;
  }
  try {
    work(fd);
  } finally {
    closeSync(fd);
  }
  return true;
}

const through = (fd: number, name = ".") => `/proc/self/fd/${fd}/${name}`;
