// Merges the settings of several scopes, lowest precedence first. Pure.

import { isObject, type Settings, type SettingsKey } from "@keelson/protocol";
import { KEYS } from "../check/known.ts";

/** Lists that are replaced, not joined. */
export const REPLACED: ReadonlySet<string> = new Set<SettingsKey>(["fallbackModel"]);

/** Keys that only restrict: on in one scope is on. */
const WINS: ReadonlySet<string> = new Set(
  KEYS.filter(({ type }) => ("wins" in type && type.wins) || (type.kind === "map" && type.of === "guard")).map(
    ({ key }) => key,
  ),
);

/** Whether a higher scope cannot turn this off. Entries of a map are under its key. */
const isWinning = (path: readonly string[]): boolean =>
  WINS.has(path.join(".")) || WINS.has(path.slice(0, -1).join("."));

/** Later scopes win: scalars replace, objects merge key by key, lists join without duplicates. */
export function mergeSettings(scopes: readonly Settings[]): Settings {
  return scopes.reduce<Readonly<Record<string, unknown>>>((low, high) => mergeObjects(low, high, []), {}) as Settings;
}

type Values = Readonly<Record<string, unknown>>;

function mergeObjects(low: Values, high: Values, above: readonly string[]) {
  const merged: Record<string, unknown> = { ...low };
  for (const [key, value] of Object.entries(high)) {
    if (key === "__proto__") continue;
    const path = [...above, key];
    merged[key] = REPLACED.has(key) || !Object.hasOwn(low, key) ? value : mergeValues(low[key], value, path);
  }
  return merged;
}

function mergeValues(low: unknown, high: unknown, path: readonly string[]): unknown {
  if (Array.isArray(low) && Array.isArray(high)) return distinct([...low, ...high]);
  if (isObject(low) && isObject(high)) return mergeObjects(low, high, path);
  return isWinning(path) && (low === true || high === false) ? low : high;
}

function distinct(items: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const key = typeof item === "object" ? JSON.stringify(item) : item;
    return !seen.has(key) && seen.add(key);
  });
}
