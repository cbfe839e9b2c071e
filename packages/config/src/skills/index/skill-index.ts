// Remembers what the files of one folder say, so that a start with hundreds of skills or agents looks at each without opening
// it. An entry counts only while the file's stamp is the same; a file that is broken, foreign or old is not used.

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

/** `F` is what a file says, `R` what most files become without another look at the session; both as JSON. */
export interface FileIndex<F, R extends HasFile> {
  readonly folder: string;
  has(file: string): boolean;
  /**
   * What the files said when the index was written, without looking at them. Undefined for a small folder, and if files
   * were added or removed since.
   */
  recall(): Recalled<F, R> | undefined;
  /** Ask once for each file: the caller may change the facts. */
  find(file: string, stat: Stats): F | undefined;
  /** The file is not in the index as it is. */
  miss(file: string): void;
  /** Whether the index should be written again. */
  isOutdated(): boolean;
}

export interface HasFile {
  readonly file: string;
}

export interface Recalled<F, R> {
  readonly items: readonly IndexItem<F, R>[];
  readonly folders: readonly (readonly [path: string, mark: FileMark])[];
  /** How each file was. Parsed when it is asked for: a start needs none of it. */
  marks(): readonly (readonly [file: string, mark: FileMark])[];
}

/** An array is an entry; whatever can be used as it is needs no more than one look. */
export type IndexItem<F, R> = R | IndexEntry<F>;

export type IndexEntry<F> = readonly [file: string, facts: F, name: string, found: string];

/** Inode, size and ctime. */
export type Stamp = readonly [number, number, number];

export interface IndexContent<F, R> {
  /** Every folder that was searched, if all files in them are among the items; otherwise empty. */
  readonly folders: readonly (readonly [path: string, stamp: Stamp])[];
  readonly items: readonly IndexItem<F, R>[];
}

/** Whatever changes a file or puts another in its place also changes one of these; programs cannot set ctime. */
export type FileMark = Pick<Stats, "ino" | "size" | "ctimeMs">;

/** Below this number of files, an index does not pay. */
export const LEAST_INDEXED = 32;
/** From this number on, looking at each file takes as long as a start should take in all. */
const LEAST_RECALLED = 100;
const MAX_BYTES = 16 * 1024 * 1024;

/** Raise the number when something else is read from a file. */
const FORMAT = "keelson skills 4";

/** In the user's config folder, named after the folder it describes. */
export function indexFile(configDir: string, folder: string): string {
  return join(configDir, "cache", "skills", `${Bun.hash(folder).toString(36)}.json`);
}

/** The checksum covers the folder's name too, so an index is used for no other folder. */
export function headerOf(folder: string, body: string): string {
  return `${FORMAT} ${Bun.hash(body, Bun.hash.crc32(folder)).toString(36)}`;
}

/** `folder` also says under which conditions it was searched. `factsOf`: what the file of a finished value says. */
export function openIndex<F, R extends HasFile>(
  configDir: string,
  folder: string,
  uid: number | undefined,
  factsOf: (ready: R) => F,
): FileIndex<F, R> {
  const { content, stamps } = readContent<F, R>(indexFile(configDir, folder), folder, uid);
  const { items, folders } = content;
  const isLarge = items.length >= LEAST_RECALLED;
  const marks = () => stamps().map((stamp, at) => [fileOf(items[at]!), markOf(stamp)] as const);
  let byFile: Map<string, { readonly item: IndexItem<F, R>; readonly stamp: Stamp }> | undefined;
  const known = () => {
    if (byFile !== undefined) return byFile;
    const all = stamps();
    return (byFile = new Map(items.map((item, at) => [fileOf(item), { item, stamp: all[at]! }])));
  };
  let missed = false;
  return {
    folder,
    has: (file) => known().has(file),
    recall() {
      if (!isLarge || folders.length === 0) return undefined;
      if (!folders.every(([path, stamp]) => isStill(path, stamp))) return undefined;
      return { folders: folders.map(([path, stamp]) => [path, markOf(stamp)]), items, marks };
    },
    find(file, stat) {
      const found = known().get(file);
      if (found === undefined || !hasStamp(found.stamp, stat)) return undefined;
      return isEntry(found.item) ? found.item[1] : factsOf(found.item);
    },
    miss: () => void (missed = true),
    // One that is not whole may become so once its files are a few seconds old.
    isOutdated: () => missed || (isLarge && folders.length === 0),
  };
}

export const isEntry = <F, R>(item: IndexItem<F, R>): item is IndexEntry<F> => Array.isArray(item);

const fileOf = <F, R extends HasFile>(item: IndexItem<F, R>): string => (isEntry(item) ? item[0] : item.file);

export const indexStamp = ({ ino, size, ctimeMs }: FileMark): Stamp => [ino, size, ctimeMs];

const markOf = ([ino, size, ctimeMs]: Stamp): FileMark => ({ ino, size, ctimeMs });

/** A folder changes when a file is added to it, removed or renamed. */
function isStill(folder: string, stamp: Stamp): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && hasStamp(stamp, stat);
}

function hasStamp(stamp: Stamp, { ino, size, ctimeMs }: FileMark): boolean {
  return stamp[2] === ctimeMs && stamp[1] === size && stamp[0] === ino;
}

interface ReadIndex<F, R> {
  readonly content: IndexContent<F, R>;
  /** In the order of the items. */
  stamps(): readonly Stamp[];
}

const NOTHING = { content: { folders: [], items: [] }, stamps: () => [] } as const;

/** Three lines: the header, the content, the stamps. */
function readContent<F, R>(path: string, folder: string, uid: number | undefined): ReadIndex<F, R> {
  const text = readPrivate(path, uid);
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== headerOf(folder, body)) return NOTHING;
  // With the right checksum, it is what we wrote.
  const [content, stamps] = body.split("\n") as [string, string];
  return { content: JSON.parse(content) as IndexContent<F, R>, stamps: () => JSON.parse(stamps) as Stamp[] };
}

const GROUP_OR_OTHERS = 0o077;

/** Empty if there is none, or someone else could have written it. */
export function readPrivate(path: string, uid: number | undefined): string {
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
