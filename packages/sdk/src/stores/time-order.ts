// Entries of a store in the order they were written. Most stores give them so; one that took a batch late does not,
// and then the wrong branch would pass for the newest. Pure.

import type { SessionStoreEntry } from "./session-store.ts";

/** The same entries; sorted by time only if one of them stands before its own parent, which no writer does. */
export function inTimeOrder(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  if (!hasLateParent(entries)) return entries;
  // Lines without a time stay with the one before them.
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
