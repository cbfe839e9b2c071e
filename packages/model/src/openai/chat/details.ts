// OpenRouter's `reasoning_details`: pieces of thinking that must come back whole, merged by index, in their order. Pure.

import { isObject, type Json, type JsonObject } from "@keelson/protocol";

/** Texts that arrive in pieces; every other field is complete when it comes. */
const GROWING = ["text", "summary", "data"];

export function mergedDetails(pieces: readonly unknown[]): JsonObject[] {
  const merged: Record<string, Json | undefined>[] = [];
  const byPlace = new Map<string, Record<string, Json | undefined>>();
  for (const piece of pieces) {
    if (!isObject(piece)) continue;
    const { index, type } = piece;
    const place = index === undefined ? undefined : JSON.stringify([index, type]);
    const known = place === undefined ? undefined : byPlace.get(place);
    if (!known) {
      const first = { ...piece } as Record<string, Json>;
      merged.push(first);
      if (place !== undefined) byPlace.set(place, first);
    } else {
      for (const [key, value] of Object.entries(piece)) {
        const before = known[key];
        const grows = GROWING.includes(key) && typeof before === "string" && typeof value === "string";
        if (value !== null || before === undefined) known[key] = grows ? before + value : (value as Json);
      }
    }
  }
  return merged;
}

/** What of the details may be shown. */
export function shownDetails(pieces: readonly unknown[]): string {
  return pieces
    .map((piece) => (isObject(piece) ? (piece["text"] ?? piece["summary"]) : undefined))
    .filter((text) => typeof text === "string")
    .join("");
}
