// Remembers what the files of one folder say, so that a start with hundreds of skills looks at each file without opening
// it. An entry counts only while the file's stamp is the same; a file that is broken, foreign or old is not used.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Skill } from "@keelson/protocol";
import type { ReadFacts } from "../skill-file.ts";

export interface SkillIndex {
  readonly folder: string;
  has(file: string): boolean;
  /** What the file said when the index was written, without looking at it. For large folders only. */
  recall(file: string, kind: Skill["kind"]): { readonly facts: ReadFacts; readonly mark: FileMark } | undefined;
  /** Ask once for each file: whoever gets the facts may change them. */
  find(file: string, kind: Skill["kind"], stat: Stats): ReadFacts | undefined;
  /** The file is not in the index as it is. */
  miss(file: string): void;
  /** Whether the index should be written again. */
  isOutdated(): boolean;
}

/** One entry: file, stamp, facts. */
export type IndexEntry = readonly [file: string, stamp: readonly number[], facts: ReadFacts];

/** Whatever changes a file or puts another in its place also changes one of these; programs cannot set ctime. */
export type FileMark = Pick<Stats, "ino" | "size" | "ctimeMs">;

/** Below this number of files, an index does not pay. */
export const LEAST_INDEXED = 32;
/** From this number on, looking at each file takes as long as a start should take in all. */
const LEAST_RECALLED = 200;
const MAX_BYTES = 16 * 1024 * 1024;

/** Raise the number when something else is read from a file. */
const FORMAT = "keelson skills 1";

/** In the user's config folder, named after the folder it describes. */
export function indexFile(configDir: string, folder: string): string {
  return join(configDir, "cache", "skills", `${Bun.hash(folder).toString(36)}.json`);
}

/** The checksum covers the folder's name too, so an index is used for no other folder. */
export function headerOf(folder: string, body: string): string {
  return `${FORMAT} ${Bun.hash(body, Bun.hash.crc32(folder)).toString(36)}`;
}

export function openIndex(configDir: string, folder: string, uid: number | undefined): SkillIndex {
  const entries = new Map<string, IndexEntry>();
  for (const entry of readEntries(indexFile(configDir, folder), folder, uid)) entries.set(entry[0], entry);
  let missed = false;
  return {
    folder,
    has: (file) => entries.has(file),
    recall(file, kind) {
      const entry = entries.size < LEAST_RECALLED ? undefined : entries.get(file);
      if (entry === undefined || entry[2].draft.kind !== kind) return undefined;
      const [ino, size, ctimeMs] = entry[1];
      return { facts: entry[2], mark: { ino: ino!, size: size!, ctimeMs: ctimeMs! } };
    },
    find(file, kind, stat) {
      const entry = entries.get(file);
      if (entry === undefined || entry[2].draft.kind !== kind || !hasStamp(entry[1], stat)) return undefined;
      return entry[2];
    },
    miss: () => void (missed = true),
    isOutdated: () => missed,
  };
}

export const indexStamp = ({ ino, size, ctimeMs }: FileMark): readonly number[] => [ino, size, ctimeMs];

function hasStamp(stamp: readonly number[], { ino, size, ctimeMs }: FileMark): boolean {
  return stamp[2] === ctimeMs && stamp[1] === size && stamp[0] === ino;
}

function readEntries(path: string, folder: string, uid: number | undefined): readonly IndexEntry[] {
  const text = readPrivate(path, uid);
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end < 0 || text.slice(0, end) !== headerOf(folder, body)) return [];
  // With the right checksum, it is what we wrote.
  return JSON.parse(body) as readonly IndexEntry[];
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
