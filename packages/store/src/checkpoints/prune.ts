// Removes the file copies of old sessions, and of those that are deleted. Touches only files with names of ours.

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { holdOwnFolder, namesInOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { isSessionId } from "../paths.ts";

export interface PruneOptions {
  readonly configDir: string;
  /** `cleanupPeriodDays`; default 30. */
  readonly days?: number;
  /** The current session, which is kept. */
  readonly keep?: string;
  readonly now: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Limits the work of one start. */
const MOST_AT_ONCE = 50;

/** Returns the ids of the cleaned sessions. Never throws. */
export function pruneFileHistory({ configDir, days = 30, keep, now }: PruneOptions): readonly string[] {
  const root = historyRoot(configDir);
  const removed: string[] = [];
  for (const id of namesInOwnFolder(root)) {
    if (removed.length === MOST_AT_ONCE) break;
    if (id === keep || !isSessionId(id)) continue;
    const dir = join(root, id);
    const stat = lstatSync(dir, { throwIfNoEntry: false });
    // The time of a folder is that of its last copy.
    if (!stat?.isDirectory() || now - stat.mtimeMs < days * DAY_MS) continue;
    if (emptied(dir)) removed.push(id);
  }
  return removed;
}

/** Never throws. */
export function removeFileHistory(configDir: string, sessionId: string): void {
  if (isSessionId(sessionId)) emptied(join(historyRoot(configDir), sessionId));
}

const historyRoot = (configDir: string) => join(realPathOf(configDir), "file-history");

/** Removes copies and leftover temporary files; with other files in it, the folder stays. */
const OURS = /^(?:[0-9a-f]{16}@v\d+|\.keelson-[0-9a-f]{8}\.tmp)$/;

function emptied(dir: string): boolean {
  try {
    using folder = holdOwnFolder(dir);
    for (const name of readdirSync(folder.at("."))) if (OURS.test(name)) unlinkSync(folder.at(name));
    rmdirSync(dir);
    return true;
  } catch {
    return false;
  }
}
