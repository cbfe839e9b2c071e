// Sorts files by modification time.

import { resolve } from "node:path";
import type { Files } from "@keelson/engine";

/** Only this many are sorted: stat calls for more would take longer than the search. */
const MAX_STATS = 10_000;

/** Ties and files without a time are sorted by name. Files beyond the limit follow unsorted. */
export async function sortByTime(
  paths: readonly string[],
  from: string,
  files: Files,
  order: "oldest" | "newest",
): Promise<string[]> {
  const checked = paths.slice(0, MAX_STATS);
  // A file may be gone, or in a folder we can list but not enter.
  const stats = await Promise.all(checked.map((path) => files.stat(resolve(from, path)).catch(() => null)));
  const sign = order === "oldest" ? 1 : -1;
  const timed = checked.map((path, index) => ({ path, time: stats[index]?.mtimeMs ?? 0 }));
  timed.sort((a, b) => sign * (a.time - b.time) || (a.path < b.path ? -1 : 1));
  return [...timed.map(({ path }) => path), ...paths.slice(MAX_STATS)];
}
