// Puts the entries of a store in the order they were written. Most stores return them so. One that accepted a batch
// late does not, and the wrong branch would look like the newest. Pure.

import type { SessionStoreEntry } from "../session-store.ts";

/** The same entries. Sorts by time only if one comes before its own parent, which no writer does. */
export function inTimeOrder(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  if (!hasLateParent(entries)) return entries;
  // Lines without a time stay with the line before them.
  let time = "";
  const timed = entries.map((entry, place) => {
    if (typeof entry.timestamp === "string") time = entry.timestamp;
    return { entry, time, place };
  });
  return timed
    .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.place - b.place))
    .map(({ entry }) => entry);
}

function hasLateParent(entries: readonly SessionStoreEntry[]): boolean {
  const placed = new Map<unknown, number>();
  entries.forEach(({ uuid }, place) => uuid !== undefined && !placed.has(uuid) && placed.set(uuid, place));
  return entries.some((entry, place) => {
    const parent = placed.get(entry["parentUuid"]);
    return parent !== undefined && parent > place && placed.get(entry.uuid) === place;
  });
}
