// Writes the index of a folder for the next start. Reads the files again, because what was read at the start has become
// part of the session.

import { chmodSync, mkdirSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Skill } from "@keelson/protocol";
import { writeWhole } from "../../write/settings-file.ts";
import { createStartReader } from "../find/read-start.ts";
import { readForIndex } from "../skill-file.ts";
import { headerOf, indexFile, indexStamp, type IndexEntry } from "./skill-index.ts";

/** A file that was changed this recently may change again without a new stamp. */
const RECENT_MS = 2_000;
const MOST_INDEXES = 100;

/** Does nothing if it cannot be written: the next start then reads the files. */
export function saveIndex(
  configDir: string,
  folder: string,
  files: readonly { readonly file: string; readonly kind: Skill["kind"] }[],
  now: number,
): void {
  const reader = createStartReader();
  const entries = files.flatMap(({ file, kind }): readonly IndexEntry[] => {
    const read = readForIndex(reader, file, kind);
    if (read === undefined || Math.abs(now - read.stat.ctimeMs) < RECENT_MS) return [];
    return [[file, indexStamp(read.stat), read.facts]];
  });
  const body = JSON.stringify(entries);
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
