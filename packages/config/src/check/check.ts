// Checks the values of one settings file. An invalid value drops only itself and is reported; if dropping it would weaken
// a protection, a stricter value is used. Unknown keys pass through: they belong to other versions and tools.

import { isObject, type Settings } from "@keelson/protocol";
import type { Holder } from "@keelson/protocol/settings-table";
import { check } from "./check-value.ts";
import { isGroup, knownKey } from "./known.ts";
import { printable, UNREAD, wrong, type SettingsPage } from "./page.ts";

export interface Checked {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  /** A deny or ask rule may be lost. */
  readonly unread: boolean;
  /** The permission mode is invalid; it may have been a stricter one. */
  readonly unreadMode: boolean;
}

/** Keeps the valid values. `file` is only used in the warnings. */
export function checkSettings(raw: Readonly<Record<string, unknown>>, file: string, holder: Holder): Checked {
  const warnings: string[] = [];
  const page: SettingsPage = {
    holder,
    asks: [],
    unread: false,
    unreadMode: false,
    warn: (key, problem, outcome = "it is ignored") => void warnings.push(`${file}: ${key} ${problem}; ${outcome}`),
  };
  const valid = keepKnown(raw, "", page) as Settings;
  const { asks, unread, unreadMode } = page;
  const settings = asks.length === 0 ? valid : withAsks(valid, asks);
  return { settings, warnings: bounded(warnings, file), unread, unreadMode };
}

const MAX_WARNINGS = 20;

function keepKnown(
  raw: Readonly<Record<string, unknown>>,
  prefix: string,
  page: SettingsPage,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (name === "__proto__") continue;
    const valid = keep(name, value, prefix + name, page);
    if (valid !== undefined) kept[name] = valid;
  }
  return kept;
}

function keep(name: string, value: unknown, key: string, page: SettingsPage): unknown {
  const { holder, warn } = page;
  // A key named "permissions.deny" is not the deny list, though its author thinks it is.
  const known = name.includes(".") ? undefined : knownKey(key);
  if (known !== undefined) {
    if (known.holders.includes(holder)) return check(value, known.type, key, page);
    warn(key, `is only valid in ${whose(known.holders)}`);
    return undefined;
  }
  if (isGroup(key) && !name.includes(".")) {
    if (isObject(value)) return keepKnown(value, `${key}.`, page);
    if (holdsGuards(key)) page.unread = true;
    return wrong(value, "an object", key, page, holdsGuards(key) ? UNREAD : undefined);
  }
  if (name.includes(".") && knownKey(key) !== undefined) {
    if (isGuardKey(key)) page.unread = true;
    const [group, ...rest] = name.split(".");
    warn(`"${name}"`, `should be written as "${group}": { "${rest.join('": { "')}": …`, outcomeOf(key));
    return undefined;
  }
  if (key.startsWith("permissions.") && /^(den|ask|disallow)/i.test(name)) {
    page.unread = true;
    warn(printable(key), "is not a known key; did you mean deny or ask?", UNREAD);
    return undefined;
  }
  return value;
}

const isGuardKey = (key: string) => {
  const type = knownKey(key)?.type;
  return (type?.kind === "rules" && type.behavior !== "allow") || (type?.kind === "list" && type.strict === "unread");
};
const holdsGuards = (group: string) => group === "permissions" || group.startsWith("sandbox");
const outcomeOf = (key: string) => (isGuardKey(key) ? UNREAD : undefined);

function withAsks(settings: Settings, tools: readonly string[]): Settings {
  const { permissions } = settings;
  return { ...settings, permissions: { ...permissions, ask: [...new Set([...(permissions?.ask ?? []), ...tools])] } };
}

/** `managed settings`, `user or managed settings` … */
export function whose(holders: readonly Holder[]): string {
  return holders.includes("global") ? "the global config file" : `${holders.join(" or ")} settings`;
}

function bounded(warnings: readonly string[], file: string): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${file}: ${warnings.length - MAX_WARNINGS} more values are ignored`];
}
