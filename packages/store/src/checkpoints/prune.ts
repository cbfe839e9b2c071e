// Removes the file histories of sessions nobody has touched for a long time. Only what is ours by its name goes.

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isSessionId } from "../paths.ts";

export interface PruneOptions {
  readonly configDir: string;
  /** `cleanupPeriodDays`; 30 when absent. */
  readonly days?: number;
  /** The session at work, which stays. */
  readonly keep?: string;
  readonly now: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** So that one start never pays for years of sessions. */
const MOST_AT_ONCE = 50;

/** The ids of the sessions whose copies are gone. Never throws. */
export function pruneFileHistory({ configDir, days = 30, keep, now }: PruneOptions): readonly string[] {
  const root = join(configDir, "file-history");
  const removed: string[] = [];
  for (const id of namesIn(root)) {
    if (removed.length === MOST_AT_ONCE) break;
    if (id === keep || !isSessionId(id)) continue;
    const dir = join(root, id);
    const stat = lstatSync(dir, { throwIfNoEntry: false });
    // A folder's own time is when its last copy came.
    if (!stat?.isDirectory() || now - stat.mtimeMs < days * DAY_MS) continue;
    if (emptied(dir)) removed.push(id);
  }
  return removed;
}

/** Copies and leftovers of writing them; anything else stays, and its folder with it. */
const OURS = /^(?:[0-9a-f]{16}@v\d+|\.keelson-[0-9a-f]{8}\.tmp)$/;

function emptied(dir: string): boolean {
  try {
    for (const name of namesIn(dir)) if (OURS.test(name)) unlinkSync(join(dir, name));
    rmdirSync(dir);
    return true;
  } catch {
    return false;
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
