// Writes the index of a folder for the next start. Reads the files again, because what was read at the start has become
// part of the session.

import { chmodSync, existsSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdOwnFolder, type HeldFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { replaceFile } from "@keelson/disk/replace-file";
import {
  headerOf,
  indexFile,
  indexStamp,
  type FileMark,
  type IndexContent,
  type IndexEntry,
  type IndexItem,
  type Stamp,
} from "./skill-index.ts";
import type { SkillFile } from "../find/scan.ts";
import { LEAST_REMEMBERED, manifestsIn } from "../../load/plugins-in-skills.ts";
import { isKnownPlain, plainFile, plainRecord } from "./plain-folder.ts";

/** A file that was changed this recently may change again without a new stamp. */
const RECENT_MS = 2_000;
const MOST_INDEXES = 100;

/** What was found in a folder. */
export interface FolderContent {
  readonly found: readonly SkillFile[];
  /** The folders that were searched. */
  readonly folders: readonly (readonly [path: string, mark: FileMark | undefined])[];
}

/** What a file says now, and its stamp from before it was read. */
export type ReadForIndex<F> = (file: string) => { readonly stat: FileMark; readonly facts: F } | undefined;

export interface IndexReader<F, R, D> {
  readonly read: ReadForIndex<F>;
  pack(entries: readonly IndexEntry<F>[]): PackedItems<F, R, D>;
}

/** Entries, or what they become in every session, unless they depend on more than their file and its folder. */
export interface PackedItems<F, R, D> {
  readonly items: readonly IndexItem<F, R>[];
  /** For each file; null for entries. */
  readonly details: readonly (D | null)[];
}

/** Does nothing if it cannot be written: the next start then reads the files. */
export function saveIndex<F, R, D>(
  configDir: string,
  folder: string,
  { found, folders, read: readFile, pack }: FolderContent & IndexReader<F, R, D>,
  now: number,
): void {
  const isRecent = ({ ctimeMs }: FileMark) => Math.abs(now - ctimeMs) < RECENT_MS;
  // A folder without SKILL.md changes when it gets one.
  const empty = found.map(({ file }) => file).filter((file) => !existsSync(file));
  const marks = [
    ...folders,
    ...empty.map((file) => [dirname(file), statSync(dirname(file), { throwIfNoEntry: false })] as const),
  ];
  const entries: IndexEntry<F>[] = [];
  const stamps: Stamp[] = [];
  for (const { file, name, found: path } of found) {
    const read = readFile(file);
    if (read === undefined || isRecent(read.stat)) continue;
    entries.push([file, read.facts, name, path]);
    stamps.push(indexStamp(read.stat));
  }
  const isWhole =
    entries.length + empty.length === found.length && marks.every(([, mark]) => mark !== undefined && !isRecent(mark));
  const { items, details } = pack(entries);
  const content: IndexContent<F, R> = {
    count: entries.length,
    folders: isWhole ? marks.map(([path, mark]) => [path, indexStamp(mark!)]) : [],
    items,
  };
  const body = [content, details, stamps].map(asciiJson).join("\n");
  const target = indexFile(configDir, folder);
  try {
    writePrivate(target, `${headerOf(folder, body)}\n${body}`);
  } catch {
    // A read-only or full disk.
  }
}

/** In ASCII, bytes are characters: the fastest to read. */
function asciiJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped);
}

/** Remembers that no folder in a large skills folder is a plugin, or forgets it if one is. */
export function rememberPlain(configDir: string, folder: string, uid: number | undefined, now: number): void {
  const target = plainFile(configDir, folder);
  const isPlain = isLargeAndPlain(folder);
  if (isPlain === isKnownPlain(configDir, folder, uid)) return;
  try {
    const stat = statSync(folder);
    if (!isPlain) rmSync(target, { force: true });
    else if (Math.abs(now - stat.ctimeMs) >= RECENT_MS) writePrivate(target, plainRecord(folder, stat));
  } catch {
    // A read-only or full disk, or the folder is gone.
  }
}

function isLargeAndPlain(folder: string): boolean {
  try {
    const names = readdirSync(folder);
    return names.length >= LEAST_REMEMBERED && manifestsIn(folder, names).length === 0;
  } catch {
    return false;
  }
}

function writePrivate(target: string, text: string): void {
  // `cache/skills`, whose links are not followed, in the configuration folder, whose links are the user's.
  const [cache, configDir] = [dirname(dirname(target)), dirname(dirname(dirname(target)))];
  const path = join(realPathOf(configDir), basename(cache), basename(dirname(target)));
  using folder = holdOwnFolder(path, { create: 0o700 });
  chmodSync(folder.at("."), 0o700);
  replaceFile(folder.at(basename(target)), text, 0o600);
  removeOldest(folder);
}

function removeOldest(folder: HeldFolder): void {
  const names = readdirSync(folder.at("."));
  if (names.length <= MOST_INDEXES) return;
  const byAge = names
    .map((name) => folder.at(name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.time - b.time);
  for (const { path } of byAge.slice(0, names.length - MOST_INDEXES)) unlinkSync(path);
}
