// Stats paths without throwing. If we cannot reach a path, a command cannot either, so any error means it is absent.

import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileStamp } from "@keelson/protocol";

export function lstatOrNull(path: string): Stats | null {
  return nullOnError(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
}

export function statThroughLinks(path: string): Stats | null {
  return nullOnError(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

/** The same for every name of a file. */
export const inodeKey = ({ dev, ino }: Stats) => `${dev}:${ino}`;

export function isFolder(path: string): boolean {
  return lstatOrNull(path)?.isDirectory() === true;
}

export function realPath(path: string): string | null {
  return nullOnError(() => realpathSync(path));
}

/** File times tick every few milliseconds, so a more recent time may hide a change. */
const TICK_MS = 50;

/** Empty if the folder does not exist, is a link, or changed just now. */
export function settledStamp(folder: string): string {
  const entry = lstatOrNull(folder);
  return entry?.isDirectory() && Date.now() - entry.ctimeMs > TICK_MS ? fileStamp(entry) : "";
}

/** Looks up entries of folders. Made for one look; `absent` is kept for the next ones. */
export function createEntryLookup(absent: AbsentNames = new Map()): (folder: string, name: string) => Stats | null {
  const looked = new Map<string, AbsentIn>();
  const absentIn = (folder: string): AbsentIn => {
    const stamp = settledStamp(folder);
    const last = absent.get(folder);
    const now = stamp !== "" && last?.stamp === stamp ? last : { stamp, names: new Set<string>() };
    absent.set(folder, now);
    looked.set(folder, now);
    return now;
  };
  return (folder, name) => {
    const { stamp, names } = looked.get(folder) ?? absentIn(folder);
    if (names.has(name)) return null;
    const entry = lstatOrNull(join(folder, name));
    if (!entry && stamp !== "") names.add(name);
    return entry;
  };
}

/** What is not in a folder, as long as nothing was created in it. Most names that are guarded exist nowhere. */
export type AbsentNames = Map<string, AbsentIn>;

interface AbsentIn {
  readonly stamp: string;
  readonly names: Set<string>;
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export interface ResolvedFolder {
  /** With links resolved; null if the folder does not exist. */
  readonly real: string | null;
  /** The parts of its path that are links. */
  readonly links: readonly string[];
}

/** Caches folders, because many names are looked up in a few of them. Do not keep it: the disk changes. */
export function createFolderLookup(): (folder: string) => ResolvedFolder {
  const known = new Map<string, ResolvedFolder>();
  const lookAt = (folder: string): ResolvedFolder => {
    let found = known.get(folder);
    if (!found) known.set(folder, (found = fresh(folder)));
    return found;
  };
  const fresh = (folder: string): ResolvedFolder => {
    const parent = dirname(folder);
    if (parent === folder) return { real: folder, links: [] };
    const above = lookAt(parent);
    const entry = above.real === null ? null : lstatOrNull(folder);
    if (!entry) return { real: null, links: above.links };
    if (!entry.isSymbolicLink()) return { real: join(above.real!, basename(folder)), links: above.links };
    return { real: realPath(folder), links: [...above.links, folder] };
  };
  return lookAt;
}

export function readLink(path: string): string | null {
  return nullOnError(() => readlinkSync(path));
}

function nullOnError<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
