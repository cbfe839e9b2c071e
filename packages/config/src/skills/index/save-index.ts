// Writes the index of a folder for the next start. Reads the files again, because what was read at the start has become
// part of the session.

import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWhole } from "../../write/settings-file.ts";
import { headerOf, indexFile, indexStamp, type FileMark, type IndexContent, type IndexEntry } from "./skill-index.ts";
import type { SkillFile } from "../find/scan.ts";

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

/** Does nothing if it cannot be written: the next start then reads the files. */
export function saveIndex<F>(
  configDir: string,
  folder: string,
  { found, folders, read: readFile }: FolderContent & { readonly read: ReadForIndex<F> },
  now: number,
): void {
  const isRecent = ({ ctimeMs }: FileMark) => Math.abs(now - ctimeMs) < RECENT_MS;
  // A folder without SKILL.md changes when it gets one.
  const empty = found.map(({ file }) => file).filter((file) => !existsSync(file));
  const marks = [
    ...folders,
    ...empty.map((file) => [dirname(file), statSync(dirname(file), { throwIfNoEntry: false })] as const),
  ];
  const entries = found.flatMap(({ file, name, found: path }): readonly IndexEntry<F>[] => {
    const read = readFile(file);
    if (read === undefined || isRecent(read.stat)) return [];
    return [[file, indexStamp(read.stat), read.facts, name, path]];
  });
  const isWhole =
    entries.length + empty.length === found.length && marks.every(([, mark]) => mark !== undefined && !isRecent(mark));
  const whole: IndexContent<F> = {
    folders: isWhole ? marks.map(([path, mark]) => [path, indexStamp(mark!)]) : [],
    entries,
  };
  const body = JSON.stringify(whole);
  const target = indexFile(configDir, folder);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    chmodSync(dirname(target), 0o700);
    writeWhole(`${target}.${crypto.randomUUID()}.tmp`, target, `${headerOf(folder, body)}\n${body}`, 0o600);
    removeOldest(dirname(target));
  } catch {
    // A read-only or full disk.
  }
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST_INDEXES) return;
  const byAge = names
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.time - b.time);
  for (const { path } of byAge.slice(0, names.length - MOST_INDEXES)) unlinkSync(path);
}
