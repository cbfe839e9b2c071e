// Checks the values of one settings file. A bad value loses only itself, and a sentence says so; where the loss would
// open a door, the stricter reading counts. Keys that nobody knows pass through: other versions and tools own them.

import { isObject } from "@keelson/protocol";
import { check } from "./check-value.ts";
import type { Holder } from "./keys.ts";
import { isGroup, knownKey } from "./known.ts";
import { printable, UNREAD, wrong, type SettingsPage } from "./page.ts";

export interface Checked {
  readonly settings: Record<string, unknown>;
  readonly warnings: readonly string[];
  /** Something that may have denied or asked could not be understood. */
  readonly unread: boolean;
  /** The mode could not be understood; it may have been meant to narrow. */
  readonly unreadMode: boolean;
}

/** Keeps what is sound. `file` is only for the sentences. */
export function checkSettings(raw: Readonly<Record<string, unknown>>, file: string, holder: Holder): Checked {
  const warnings: string[] = [];
  const page: SettingsPage = {
    holder,
    asks: [],
    unread: false,
    unreadMode: false,
    warn: (key, problem, outcome = "it is ignored") => void warnings.push(`${file}: ${key} ${problem}; ${outcome}`),
  };
  const settings = keepKnown(raw, "", page);
  if (page.asks.length > 0) addAsks(settings, page.asks);
  const { unread, unreadMode } = page;
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
    const sound = keep(name, value, prefix + name, page);
    if (sound !== undefined) kept[name] = sound;
  }
  return kept;
}

function keep(name: string, value: unknown, key: string, page: SettingsPage): unknown {
  const { holder, warn } = page;
  // "permissions.deny" as one name is not the deny list, and whoever wrote it thinks it is.
  const known = name.includes(".") ? undefined : knownKey(key);
  if (known !== undefined) {
    if (known.holders.includes(holder)) return check(value, known.type, key, page);
    warn(key, `counts only in ${whose(known.holders)}`);
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
    warn(printable(key), "is no known key; did you mean deny or ask?", UNREAD);
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

function addAsks(settings: Record<string, unknown>, tools: readonly string[]): void {
  const permissions = isObject(settings["permissions"]) ? settings["permissions"] : {};
  const asked = Array.isArray(permissions["ask"]) ? (permissions["ask"] as readonly unknown[]) : [];
  settings["permissions"] = { ...permissions, ask: [...new Set([...asked, ...tools])] };
}

/** `managed settings`, `user or managed settings` … */
export function whose(holders: readonly Holder[]): string {
  return holders.includes("global") ? "the global config file" : `${holders.join(" or ")} settings`;
}

function bounded(warnings: readonly string[], file: string): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${file}: ${warnings.length - MAX_WARNINGS} more values are ignored`];
}
