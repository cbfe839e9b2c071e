// Remembers what the files of one folder say, so that a start with hundreds of skills or agents looks at each without opening
// it. An entry counts only while the file's stamp is the same; a file that is broken, foreign or old is not used.

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

/** `F` is what a file says, as JSON. */
export interface FileIndex<F> {
  readonly folder: string;
  has(file: string): boolean;
  /**
   * What the files said when the index was written, without looking at them. Undefined for a small folder, and if files
   * were added or removed since.
   */
  recall(): Recalled<F> | undefined;
  /** Ask once for each file: whoever gets the facts may change them. */
  find(file: string, stat: Stats): F | undefined;
  /** The file is not in the index as it is. */
  miss(file: string): void;
  /** Whether the index should be written again. */
  isOutdated(): boolean;
}

export interface Recalled<F> {
  readonly entries: readonly IndexEntry<F>[];
  readonly folders: readonly (readonly [path: string, mark: FileMark])[];
}

export type IndexEntry<F> = readonly [file: string, stamp: Stamp, facts: F, name: string, found: string];

/** Inode, size and ctime. */
export type Stamp = readonly [number, number, number];

export interface IndexContent<F> {
  /** Every folder that was searched, if all files in them are among the entries; otherwise empty. */
  readonly folders: readonly (readonly [path: string, stamp: Stamp])[];
  readonly entries: readonly IndexEntry<F>[];
}

/** Whatever changes a file or puts another in its place also changes one of these; programs cannot set ctime. */
export type FileMark = Pick<Stats, "ino" | "size" | "ctimeMs">;

/** Below this number of files, an index does not pay. */
export const LEAST_INDEXED = 32;
/** From this number on, looking at each file takes as long as a start should take in all. */
const LEAST_RECALLED = 100;
const MAX_BYTES = 16 * 1024 * 1024;

/** Raise the number when something else is read from a file. */
const FORMAT = "keelson skills 2";

/** In the user's config folder, named after the folder it describes. */
export function indexFile(configDir: string, folder: string): string {
  return join(configDir, "cache", "skills", `${Bun.hash(folder).toString(36)}.json`);
}

/** The checksum covers the folder's name too, so an index is used for no other folder. */
export function headerOf(folder: string, body: string): string {
  return `${FORMAT} ${Bun.hash(body, Bun.hash.crc32(folder)).toString(36)}`;
}

/** `isOf`: whether the facts are of the kind that is looked for. */
export function openIndex<F>(
  configDir: string,
  folder: string,
  uid: number | undefined,
  isOf: (facts: F) => boolean = () => true,
): FileIndex<F> {
  const content = readContent<F>(indexFile(configDir, folder), folder, uid);
  let byFile: Map<string, IndexEntry<F>> | undefined;
  const entries = () => (byFile ??= new Map(content.entries.map((entry) => [entry[0], entry])));
  let missed = false;
  return {
    folder,
    has: (file) => entries().has(file),
    recall() {
      if (content.entries.length < LEAST_RECALLED || content.folders.length === 0) return undefined;
      if (!isOf(content.entries[0]![2])) return undefined;
      if (!content.folders.every(([path, stamp]) => isStill(path, stamp))) return undefined;
      return {
        folders: content.folders.map(([path, stamp]) => [path, markOf(stamp)]),
        entries: content.entries,
      };
    },
    find(file, stat) {
      const entry = entries().get(file);
      if (entry === undefined || !isOf(entry[2]) || !hasStamp(entry[1], stat)) return undefined;
      return entry[2];
    },
    miss: () => void (missed = true),
    // One that is not whole may become so once its files are a few seconds old.
    isOutdated: () => missed || (content.entries.length >= LEAST_RECALLED && content.folders.length === 0),
  };
}

export const indexStamp = ({ ino, size, ctimeMs }: FileMark): Stamp => [ino, size, ctimeMs];

export const markOf = ([ino, size, ctimeMs]: Stamp): FileMark => ({ ino, size, ctimeMs });

/** A folder changes when a file is added to it, removed or renamed. */
function isStill(folder: string, stamp: Stamp): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && hasStamp(stamp, stat);
}

function hasStamp(stamp: Stamp, { ino, size, ctimeMs }: FileMark): boolean {
  return stamp[2] === ctimeMs && stamp[1] === size && stamp[0] === ino;
}

const NOTHING = { folders: [], entries: [] } as const;

function readContent<F>(path: string, folder: string, uid: number | undefined): IndexContent<F> {
  const text = readPrivate(path, uid);
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== headerOf(folder, body)) return NOTHING;
  // With the right checksum, it is what we wrote.
  return JSON.parse(body) as IndexContent<F>;
}

const GROUP_OR_OTHERS = 0o077;

/** Empty if there is none, or someone else could have written it. */
function readPrivate(path: string, uid: number | undefined): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    const stat = fstatSync(fd);
    const isOurs = uid === undefined || (stat.uid === uid && (stat.mode & GROUP_OR_OTHERS) === 0);
    return stat.isFile() && isOurs && stat.size <= MAX_BYTES ? readFileSync(fd, "utf8") : "";
  } catch {
    return "";
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
