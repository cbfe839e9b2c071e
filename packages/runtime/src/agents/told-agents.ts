// What a conversation already says about agents, and names of many. Loaded late: a start needs neither.

import type { ChainSubject } from "@keelson/protocol";

/** The agents that the listings in a conversation have. */
export function toldIn(past: Iterable<ChainSubject>): readonly string[] {
  const told = new Set<string>();
  for (const entry of past) {
    if (entry.type !== "attachment" || entry.attachment.type !== "agent_listing_delta") continue;
    const { addedTypes, removedTypes } = entry.attachment as { addedTypes?: unknown; removedTypes?: unknown };
    for (const name of namesIn(addedTypes)) told.add(name);
    for (const name of namesIn(removedTypes)) told.delete(name);
  }
  return [...told];
}

const namesIn = (value: unknown) => (Array.isArray(value) ? value.filter((name) => typeof name === "string") : []);

export const leftText = (gone: readonly string[]) => `These agents are no longer available: ${namesInShort(gone)}`;

const LONGEST_NAMES = 4_000;

/** As many names as there is room for. */
export function namesInShort(names: readonly string[]): string {
  let room = LONGEST_NAMES;
  const end = names.findIndex((name) => (room -= name.length + 2) < 0);
  if (end < 0) return names.join(", ");
  return `${names.slice(0, end).join(", ")} and ${names.length - end} more`;
}
