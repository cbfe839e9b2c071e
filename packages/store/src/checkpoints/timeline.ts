// The file history in a transcript: which files are tracked, and which copy belongs to each prompt. Pure.

import type { FileBackup as Backup, FileHistoryEntry } from "@keelson/protocol";

export interface Timeline {
  /** All tracked files, by the name in the entries. */
  readonly paths: readonly string[];
  /** The hash of what our tools last wrote there. */
  writtenTo(path: string): string | undefined;
  /** The copy of each file from before the session changed it first, also of prompts that were forgotten. */
  readonly first: ReadonlyMap<string, Backup>;
  /** The latest copy of a file. */
  newest(path: string): Backup | undefined;
  /** The current prompt. */
  readonly current: string | undefined;
  /** Whether there is a copy of a file for the current prompt. */
  holds(path: string): boolean;
  /** The copy of each file from just before a prompt ran; undefined for an unknown prompt. */
  stateAt(prompt: string): ReadonlyMap<string, Backup> | undefined;
  add(entry: FileHistoryEntry): void;
  /** Forgets the oldest prompt. False if only one is left. */
  forgetOldest(): boolean;
  readonly length: number;
  /** The names of all copies that a prompt still needs. */
  needed(): ReadonlySet<string>;
}

/** Skips invalid entries, since they come from a file. */
export function timelineOf(past: Iterable<FileHistoryEntry>): Timeline {
  const prompts = new Map<string, Map<string, Backup>>();
  const first = new Map<string, Backup>();
  const newest = new Map<string, Backup>();
  const note = (path: string, backup: Backup) => {
    if (!first.has(path)) first.set(path, backup);
    newest.set(path, backup);
  };
  const written = new Map<string, string>();
  let current: string | undefined;

  const timeline: Timeline = {
    get paths() {
      return [...newest.keys()];
    },
    get current() {
      return current;
    },
    get length() {
      return prompts.size;
    },
    first,
    writtenTo: (path) => written.get(path),
    newest: (path) => newest.get(path),
    holds: (path) => current !== undefined && prompts.get(current)?.has(path) === true,
    stateAt(prompt) {
      if (!prompts.has(prompt)) return undefined;
      const state = new Map<string, Backup>();
      let reached = false;
      for (const [uuid, backups] of prompts) {
        reached ||= uuid === prompt;
        if (!reached) continue;
        // Before its first change, a file was what it was at that change.
        for (const [path, backup] of backups) if (!state.has(path)) state.set(path, backup);
      }
      return state;
    },
    add(entry) {
      if (entry.type === "keelson-file-written") return void written.set(entry.trackingPath, entry.hash);
      if (entry.type === "file-history-snapshot") {
        current = entry.messageId;
        const backups = new Map(Object.entries(entry.snapshot.trackedFileBackups).filter(([, it]) => isBackup(it)));
        prompts.set(current, backups);
        for (const [path, backup] of backups) note(path, backup);
        return;
      }
      const backups = prompts.get(entry.snapshotMessageId);
      if (backups === undefined || !isBackup(entry.backup)) return;
      backups.set(entry.trackingPath, entry.backup);
      note(entry.trackingPath, entry.backup);
    },
    forgetOldest() {
      const [oldest] = prompts.keys();
      if (oldest === undefined || oldest === current) return false;
      return prompts.delete(oldest);
    },
    needed: () =>
      new Set(
        [...prompts.values()].flatMap((backups) => [...backups.values()].flatMap((it) => it.backupFileName ?? [])),
      ),
  };
  for (const entry of past) if (isWhole(entry)) timeline.add(entry);
  return timeline;
}

const COPY_NAME = /^[0-9a-f]{16}@v\d+$/;

/** Any other name could point outside the folder. */
function isBackup(value: unknown): value is Backup {
  if (typeof value !== "object" || value === null) return false;
  const { backupFileName: name, version, realParentDir, hash, mode } = value as Partial<Backup>;
  const named = name === null || (typeof name === "string" && COPY_NAME.test(name));
  const areTexts = [realParentDir, hash].every((each) => each === undefined || typeof each === "string");
  return named && areTexts && typeof version === "number" && (mode === undefined || Number.isInteger(mode));
}

function isWhole(entry: FileHistoryEntry): boolean {
  switch (entry.type) {
    case "file-history-snapshot":
      return (
        typeof entry.messageId === "string" &&
        typeof entry.snapshot?.trackedFileBackups === "object" &&
        entry.snapshot.trackedFileBackups !== null
      );
    case "file-history-delta":
      return typeof entry.snapshotMessageId === "string" && typeof entry.trackingPath === "string";
    case "keelson-file-written":
      return typeof entry.trackingPath === "string" && typeof entry.hash === "string";
    default:
      return false;
  }
}
