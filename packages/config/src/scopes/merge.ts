// Merges the settings of several scopes, lowest precedence first. Pure.

import { isObject, type Settings, type SettingsKey } from "@keelson/protocol";

/** Lists that are replaced, not joined. */
export const REPLACED: ReadonlySet<string> = new Set<SettingsKey>(["fallbackModel"]);

/** Later scopes win: scalars replace, objects merge key by key, lists join without duplicates. */
export function mergeSettings(scopes: readonly Settings[]): Settings {
  return scopes.reduce<Readonly<Record<string, unknown>>>((low, high) => mergeObjects(low, high), {}) as Settings;
}

function mergeObjects(low: Readonly<Record<string, unknown>>, high: Readonly<Record<string, unknown>>) {
  const merged: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    if (key === "__proto__") continue;
    merged[key] = REPLACED.has(key) || !Object.hasOwn(low, key) ? value : mergeValues(low[key], value);
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
