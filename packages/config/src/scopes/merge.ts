// Merges settings of several scopes, lowest first. Pure.

import { isObject } from "@keelson/protocol";

// Taken whole from the highest scope that has it, although its value may be a list.
const WHOLE = new Set(["fallbackModel"]);

/** Later scopes win: scalars replace, objects merge key by key, lists join without repeats. */
export function mergeSettings(scopes: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  return scopes.reduce<Record<string, unknown>>((low, high) => mergeObjects(low, high), {});
}

function mergeObjects(low: Readonly<Record<string, unknown>>, high: Readonly<Record<string, unknown>>) {
  const merged: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    if (key === "__proto__") continue;
    merged[key] = WHOLE.has(key) || !Object.hasOwn(low, key) ? value : mergeValues(low[key], value);
  }
  return merged;
}

function mergeValues(low: unknown, high: unknown): unknown {
  if (Array.isArray(low) && Array.isArray(high)) return distinct([...low, ...high]);
  if (isObject(low) && isObject(high)) return mergeObjects(low, high);
  return high;
}

function distinct(items: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const key = typeof item === "object" ? JSON.stringify(item) : item;
    return !seen.has(key) && seen.add(key);
  });
}
