// Puts found files in order of their last change.

import { resolve } from "node:path";
import type { Files } from "@keelson/engine";

/** Beyond this only so many are looked at: asking for the time of every file would take longer than the search. */
const MAX_STATS = 10_000;

/** Ties, and files without a time, are ordered by name. Those beyond the limit follow unsorted. */
export async function sortByTime(
  paths: readonly string[],
  from: string,
  files: Files,
  order: "oldest" | "newest",
): Promise<string[]> {
  const looked = paths.slice(0, MAX_STATS);
  // What cannot be looked at (gone meanwhile, or in a folder that may only be listed) has no time.
  const stats = await Promise.all(looked.map((path) => files.stat(resolve(from, path)).catch(() => null)));
  const sign = order === "oldest" ? 1 : -1;
  const timed = looked.map((path, index) => ({ path, time: stats[index]?.mtimeMs ?? 0 }));
  timed.sort((a, b) => sign * (a.time - b.time) || (a.path < b.path ? -1 : 1));
  return [...timed.map(({ path }) => path), ...paths.slice(MAX_STATS)];
}
