// Which files a repository tracks, and what git remembers of each: from its index, versions 2 to 4. Reads nothing else.

import { dirname, join, resolve } from "node:path";
import { fileStamp } from "@keelson/protocol";
import { readRegularFile } from "../../files/regular-file.ts";
import { lstatOrNull } from "../guarded/stat.ts";

export interface TrackedFile {
  /** The last 32 bits of its size. */
  readonly size: number;
  /** In seconds. */
  readonly mtime: number;
  readonly isExecutable: boolean;
}

/** Regular files by path. */
export type TrackedFiles = ReadonlyMap<string, TrackedFile>;

const NONE: TrackedFiles = new Map();
const MAX_POINTER_BYTES = 4_096;
const MAX_BYTES = 64 * 1024 * 1024;

/** Looks up the repository that a path is in. An index that was read is kept until it changes. */
export function createTrackedFiles(): (path: string) => TrackedFiles {
  const known = new Map<string, { readonly stamp: string; readonly tracked: TrackedFiles }>();
  return (path) => {
    for (let top = dirname(path); top !== dirname(top); top = dirname(top)) {
      const git = gitFolderOf(top);
      if (git === null) continue;
      const index = join(git, "index");
      const entry = lstatOrNull(index);
      if (!entry?.isFile() || entry.size > MAX_BYTES) return NONE;
      const stamp = fileStamp(entry);
      const before = known.get(index);
      if (before?.stamp === stamp) return before.tracked;
      const tracked = readIndex(index, top);
      known.set(index, { stamp, tracked });
      return tracked;
    }
    return NONE;
  };
}

/** Those in a folder. */
export function trackedIn(folder: string, tracked: TrackedFiles): TrackedFiles {
  return new Map([...tracked].filter(([path]) => path.startsWith(`${folder}/`)));
}

/** The top of the work tree that a path is in. */
export function topOf(path: string): string | null {
  for (let top = dirname(path); top !== dirname(top); top = dirname(top)) if (gitFolderOf(top) !== null) return top;
  return null;
}

function gitFolderOf(top: string): string | null {
  const git = join(top, ".git");
  const entry = lstatOrNull(git);
  if (!entry) return null;
  if (entry.isDirectory()) return git;
  if (!entry.isFile() || entry.size > MAX_POINTER_BYTES) return null;
  try {
    const to = /^gitdir: (.+)$/m.exec(new TextDecoder().decode(readRegularFile(git, MAX_POINTER_BYTES)))?.[1];
    return to === undefined ? null : resolve(top, to);
  } catch {
    return null; // gone, or closed to us
  }
}

function readIndex(path: string, top: string): Map<string, TrackedFile> {
  try {
    return parseIndex(Buffer.from(readRegularFile(path, MAX_BYTES)), top);
  } catch {
    return new Map(); // git will complain about it
  }
}

const MODE = { type: 0o170000, regular: 0o100000, executable: 0o100 };

/** Pure. Names are below `top`. Throws if it is damaged. SHA-1 only: with longer hashes, it has no entries. */
export function parseIndex(bytes: Buffer, top: string): Map<string, TrackedFile> {
  const found = new Map<string, TrackedFile>();
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return found;
  const count = bytes.readUInt32BE(8);
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let n = 0; n < count; n++) {
    const start = at;
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 60);
    const entry = {
      size: bytes.readUInt32BE(at + 36),
      mtime: bytes.readUInt32BE(at + 8),
      isExecutable: (mode & MODE.executable) !== 0,
    };
    at += (flags & 0x4000) !== 0 ? 64 : 62;
    if (version === 4) {
      // The name without what it has in common with the one before it.
      let dropped = bytes[at]! & 0x7f;
      while ((bytes[at++]! & 0x80) !== 0) dropped = ((dropped + 1) << 7) | (bytes[at]! & 0x7f);
      const end = bytes.indexOf(0, at);
      name = Buffer.concat([name.subarray(0, name.length - dropped), bytes.subarray(at, end)]);
      at = end + 1;
    } else {
      const end = bytes.indexOf(0, at);
      name = bytes.subarray(at, end);
      at = start + ((end - start + 8) & ~7);
    }
    if (at > bytes.length || at <= start) throw new Error("The index is cut off");
    if ((mode & MODE.type) === MODE.regular) found.set(join(top, name.toString()), entry);
  }
  return found;
}
