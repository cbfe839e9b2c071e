// Remembers what the files of one folder say, so that a start with hundreds of skills or agents looks at each without opening
// it. An entry counts only while the file's stamp is the same; a file that is broken, foreign or old is not used.

import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

/**
 * `F` is what a file says. `R` is what most files become without another look at the session, as far as a start needs it,
 * and `D` the rest of that. All as JSON.
 */
export interface FileIndex<F, R, D> {
  readonly folder: string;
  has(file: string): boolean;
  /**
   * What the files said when the index was written, without looking at them. Undefined for a small folder, and if files
   * were added or removed since.
   */
  recall(): Recalled<F, R, D> | undefined;
  /** Ask once for each file: the caller may change the facts. */
  find(file: string, stat: Stats): F | undefined;
  /** The file is not in the index as it is. */
  miss(file: string): void;
  /** Whether the index should be written again. */
  isOutdated(): boolean;
}

/** How values in an index become what was found. */
export interface ReadyForm<F, R, D> {
  /** One value may be about several files. */
  filesOf(ready: R): readonly string[];
  factsOf(ready: R, details: D): F;
}

export interface Recalled<F, R, D> {
  readonly items: readonly IndexItem<F, R>[];
  readonly folders: readonly (readonly [path: string, mark: FileMark])[];
  /** For each file, in the order of the items; of use for ready ones. Parsed when it is asked for, like the marks. */
  details(): readonly D[];
  /** How each file was. A start needs none of it. */
  marks(): readonly (readonly [file: string, mark: FileMark])[];
}

/** An array is an entry; whatever can be used as it is needs no more than one look. */
export type IndexItem<F, R> = R | IndexEntry<F>;

export type IndexEntry<F> = readonly [file: string, facts: F, name: string, found: string];

/** Inode, size and ctime. */
export type Stamp = readonly [number, number, number];

export interface IndexContent<F, R> {
  /** Of the files. */
  readonly count: number;
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
const FORMAT = "keelson skills 5";

/** In the user's config folder, named after the folder it describes. */
export function indexFile(configDir: string, folder: string): string {
  return join(configDir, "cache", "skills", `${Bun.hash(folder).toString(36)}.json`);
}

/** The checksum covers the folder's name too, so an index is used for no other folder. */
export function headerOf(folder: string, body: string | Uint8Array): string {
  return `${FORMAT} ${Bun.hash(body, Bun.hash.crc32(folder)).toString(36)}`;
}

/** `folder` also says under which conditions it was searched. */
export function openIndex<F, R, D>(
  configDir: string,
  folder: string,
  uid: number | undefined,
  form: ReadyForm<F, R, D>,
): FileIndex<F, R, D> {
  const { content, details, stamps } = readContent<F, R, D>(indexFile(configDir, folder), folder, uid);
  const { count, items, folders } = content;
  const isLarge = count >= LEAST_RECALLED;
  const files = () =>
    items.flatMap((item) => (isEntry(item) ? [item[0]] : form.filesOf(item)).map((file) => ({ file, item })));
  const marks = () => {
    const all = stamps();
    return files().map(({ file }, at) => [file, markOf(all[at]!)] as const);
  };
  let byFile: Map<string, { readonly item: IndexItem<F, R>; readonly at: number }> | undefined;
  const known = () => (byFile ??= new Map(files().map(({ file, item }, at) => [file, { item, at }])));
  let missed = false;
  return {
    folder,
    has: (file) => known().has(file),
    recall() {
      if (!isLarge || folders.length === 0) return undefined;
      if (!folders.every(([path, stamp]) => isStill(path, stamp))) return undefined;
      return { folders: folders.map(([path, stamp]) => [path, markOf(stamp)]), items, details, marks };
    },
    find(file, stat) {
      const found = known().get(file);
      if (found === undefined || !hasStamp(stamps()[found.at]!, stat)) return undefined;
      const { item, at } = found;
      return isEntry(item) ? item[1] : form.factsOf(item, details()[at]!);
    },
    miss: () => void (missed = true),
    // One that is not whole may become so once its files are a few seconds old.
    isOutdated: () => missed || (isLarge && folders.length === 0),
  };
}

export const isEntry = <F, R>(item: IndexItem<F, R>): item is IndexEntry<F> => Array.isArray(item);

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

interface ReadIndex<F, R, D> {
  readonly content: IndexContent<F, R>;
  /** Both for each file, in the order of the items. */
  details(): readonly D[];
  stamps(): readonly Stamp[];
}

const NOTHING = { content: { count: 0, folders: [], items: [] }, details: () => [], stamps: () => [] } as const;

const NEWLINE = 10;

/** Four lines: the header, the content, the details, the stamps. Only the first two become text at a start. */
function readContent<F, R, D>(path: string, folder: string, uid: number | undefined): ReadIndex<F, R, D> {
  const bytes = readPrivate(path, uid);
  const end = bytes.indexOf(NEWLINE);
  if (end < 0 || bytes.toString("latin1", 0, end) !== headerOf(folder, bytes.subarray(end + 1))) return NOTHING;
  // With the right checksum, it is what we wrote.
  const afterContent = bytes.indexOf(NEWLINE, end + 1);
  const afterDetails = bytes.indexOf(NEWLINE, afterContent + 1);
  let details: readonly D[] | undefined;
  let stamps: readonly Stamp[] | undefined;
  return {
    content: JSON.parse(bytes.toString("latin1", end + 1, afterContent)) as IndexContent<F, R>,
    details: () => (details ??= JSON.parse(bytes.toString("latin1", afterContent + 1, afterDetails)) as D[]),
    stamps: () => (stamps ??= JSON.parse(bytes.toString("latin1", afterDetails + 1)) as Stamp[]),
  };
}

const GROUP_OR_OTHERS = 0o077;

/** Empty if there is none, or someone else could have written it. */
export function readPrivate(path: string, uid: number | undefined): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    const stat = fstatSync(fd);
    const isOurs = uid === undefined || (stat.uid === uid && (stat.mode & GROUP_OR_OTHERS) === 0);
    if (!stat.isFile() || !isOurs || stat.size > MAX_BYTES) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    return bytes.subarray(0, readSync(fd, bytes, 0, stat.size, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
