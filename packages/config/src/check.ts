// Checks the values of one settings file. A bad value loses only itself, and a sentence says so; where the loss would
// open a door, the stricter reading counts. Keys that nobody knows pass through: other versions and tools own them.

import { parseRule } from "@keelson/engine";
import { isObject, isPermissionMode, PERMISSION_MODES } from "@keelson/protocol";
import type { Holder, Key, ValueType } from "./keys.ts";
import { isGroup, knownKey } from "./known.ts";

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
  const page: Page = {
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

/** Checks one value by itself. Undefined, after a warning, when it makes no sense. */
export function checkValue(value: unknown, { key, type }: Pick<Key, "key" | "type">, warn: Warn): unknown {
  const page: Page = { holder: "user", asks: [], unread: false, unreadMode: false, warn };
  return check(value, type, key, page);
}

type Warn = (key: string, problem: string, outcome?: string) => void;

interface Page {
  readonly holder: Holder;
  /** Tools that a deny or ask rule which cannot be read is about. */
  readonly asks: string[];
  unread: boolean;
  unreadMode: boolean;
  readonly warn: Warn;
}

const MAX_WARNINGS = 20;
const EXAMPLE = 60;
const UNREAD = "it is ignored, and so is every allow rule until it is mended";

function keepKnown(raw: Readonly<Record<string, unknown>>, prefix: string, page: Page): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (name === "__proto__") continue;
    const sound = keep(name, value, prefix + name, page);
    if (sound !== undefined) kept[name] = sound;
  }
  return kept;
}

function keep(name: string, value: unknown, key: string, page: Page): unknown {
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
    warn(clean(key), "is no known key; did you mean deny or ask?", UNREAD);
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

function check(value: unknown, type: ValueType, key: string, page: Page): unknown {
  switch (type.kind) {
    case "any":
      return value;
    case "text":
      return typeof value === "string" ? value : wrong(value, "a string", key, page);
    case "object":
      return isObject(value) ? value : wrong(value, "an object", key, page);
    case "flag":
      if (typeof value === "boolean") return value;
      return strictly(value, "true or false", type.strict, key, page);
    case "number":
      return isNumber(value, type) ? value : wrong(value, describeNumber(type), key, page);
    case "choice":
      if (type.of.includes(value as string)) return value;
      return strictly(value, oneOf(type.of.map((word) => JSON.stringify(word))), type.strict, key, page);
    case "mode":
      // The newer name of the same mode (observed, 2.1.325).
      if (value === "manual") return "default";
      if (isPermissionMode(value)) return value;
      page.unreadMode = true;
      return wrong(
        value,
        oneOf(PERMISSION_MODES),
        key,
        page,
        "it is ignored, and so is a mode that asks less than default",
      );
    case "models":
      return typeof value === "string" ? value : checkList(value, { kind: "list", of: "text" }, key, page);
    case "list":
      return checkList(value, type, key, page);
    case "rules":
      return checkRules(value, type.behavior, key, page);
    case "map":
      return checkMap(value, type.of, key, page);
    case "variables":
      return checkVariables(value, key, page);
    case "prices":
      return checkPrices(value, key, page);
  }
}

function wrong(value: unknown, what: string, key: string, { warn }: Page, outcome?: string): undefined {
  warn(clean(key), `should be ${what}, not ${example(value)}`, outcome);
  return undefined;
}

function strictly<T>(value: unknown, what: string, strict: T | undefined, key: string, page: Page): T | undefined {
  wrong(value, what, key, page, strict === undefined ? undefined : `it is taken as ${JSON.stringify(strict)}`);
  return strict;
}

/** A list whose bad items are dropped one by one. */
function checkList(value: unknown, type: ValueType & { kind: "list" }, key: string, page: Page): unknown {
  const guards = type.strict === "unread";
  const outcome = guards ? UNREAD : undefined;
  const { holds, what } = ITEMS[type.of];
  const items: unknown = guards && typeof value === "string" ? [value] : value;
  if (guards && !(Array.isArray(items) && items.every(holds))) page.unread = true;
  if (Array.isArray(items)) {
    return items.flatMap((item: unknown, index) =>
      holds(item) ? [item] : (wrong(item, what, `${key}[${index}]`, page, outcome) ?? []),
    );
  }
  if (Array.isArray(type.strict)) return strictly(value, "a list", type.strict, key, page);
  return wrong(value, "a list", key, page, outcome);
}

const isText = (value: unknown) => typeof value === "string";

const ITEMS: Readonly<Record<"text" | "credential" | "any", { what: string; holds(item: unknown): boolean }>> = {
  any: { what: "anything", holds: () => true },
  text: { what: "a string", holds: isText },
  credential: {
    what: 'a path or name with a mode, such as {"path": "~/.netrc", "mode": "deny"}',
    holds: (item) =>
      isObject(item) && isText(item["path"] ?? item["name"]) && (item["mode"] === "deny" || item["mode"] === "mask"),
  },
};

/**
 * Rules. A lone string where a list belongs still means what it says. A deny or ask rule that cannot be read, but names
 * its tool, makes everything of that tool a question; one that names none makes the whole file unread.
 */
function checkRules(value: unknown, behavior: "allow" | "ask" | "deny", key: string, page: Page): unknown {
  const guards = behavior !== "allow";
  const lone = guards && typeof value === "string" ? [value] : value;
  if (!Array.isArray(lone)) {
    if (guards) page.unread = true;
    return wrong(value, "a list", key, page, guards ? UNREAD : undefined);
  }
  return lone.flatMap((entry: unknown, index) => {
    if (typeof entry === "string" && parseRule(entry) !== undefined) return [entry];
    const tool = guards && typeof entry === "string" ? /^\s*([A-Za-z_][\w.-]*)/.exec(entry)?.[1] : undefined;
    if (tool !== undefined) page.asks.push(tool);
    else if (guards) page.unread = true;
    const outcome = tool === undefined ? UNREAD : `until it is mended, everything of ${clean(tool)} is asked about`;
    wrong(
      entry,
      'a rule such as "Bash(git *)" or "Read"',
      `${key}[${index}]`,
      page,
      guards ? outcome : "it is ignored",
    );
    return [];
  });
}

function addAsks(settings: Record<string, unknown>, tools: readonly string[]): void {
  const permissions = isObject(settings["permissions"]) ? settings["permissions"] : {};
  const asked = Array.isArray(permissions["ask"]) ? (permissions["ask"] as readonly unknown[]) : [];
  settings["permissions"] = { ...permissions, ask: [...new Set([...asked, ...tools])] };
}

function checkMap(value: unknown, of: "text" | "flag" | "texts" | "any", key: string, page: Page): unknown {
  if (!isObject(value)) return wrong(value, "an object", key, page);
  const type: ValueType = of === "texts" ? { kind: "list", of: "text" } : { kind: of };
  const entries = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(
    entries.flatMap(([name, inner]) => {
      const sound = check(inner, type, `${key}.${clean(name)}`, page);
      return sound === undefined ? [] : [[name, sound]];
    }),
  );
}

function checkVariables(value: unknown, key: string, page: Page): unknown {
  if (!isObject(value)) return wrong(value, "an object of strings", key, page);
  const kept: Record<string, string> = {};
  for (const [name, setting] of Object.entries(value)) {
    const isName = /^[^=\0\s]+$/.test(name) && name !== "__proto__";
    const isScalar = ["string", "number", "boolean"].includes(typeof setting) && !String(setting).includes("\0");
    if (isName && isScalar) kept[name] = String(setting);
    else if (isName) wrong(setting, "a string", `${key}.${name}`, page);
    else page.warn(`${key}.${clean(name)}`, "is not a variable name");
  }
  return kept;
}

function checkPrices(value: unknown, key: string, page: Page): unknown {
  if (!isObject(value)) return wrong(value, "an object of prices", key, page);
  const isPrice = (part: unknown) => typeof part === "number" && part >= 0;
  const what = 'prices such as {"input": 3, "output": 15} in dollars for a million tokens';
  const entries = Object.entries(value).filter(([id, price]) => {
    if (id === "__proto__") return false;
    const holds =
      isObject(price) && isPrice(price["input"]) && isPrice(price["output"]) && Object.values(price).every(isPrice);
    return holds || wrong(price, what, `${key}.${id}`, page);
  });
  return Object.fromEntries(entries);
}

function isNumber(value: unknown, { least, most, whole }: ValueType & { kind: "number" }): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return (!whole || Number.isInteger(value)) && value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

function describeNumber({ least, most, whole }: ValueType & { kind: "number" }): string {
  const what = whole ? "a whole number" : "a number";
  if (most !== undefined) return `${what} from ${least ?? "−∞"} to ${most}`;
  return least === undefined ? what : `${what} of at least ${least}`;
}

const oneOf = (words: readonly string[]) => (words.length === 1 ? words[0]! : `one of ${words.join(", ")}`);

/** `managed settings`, `user or managed settings` … */
export function whose(holders: readonly Holder[]): string {
  return holders.includes("global") ? "the global config file" : `${holders.join(" or ")} settings`;
}

function bounded(warnings: readonly string[], file: string): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${file}: ${warnings.length - MAX_WARNINGS} more values are ignored`];
}

const example = (value: unknown) => clean((JSON.stringify(value) ?? String(value)).slice(0, EXAMPLE));

/** Text out of a file, made fit for one line of a terminal. */
// oxlint-disable-next-line no-control-regex
const clean = (value: string) => value.slice(0, EXAMPLE).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
