// Checks one value against the type of its key. Invalid parts are dropped one by one, and each one is reported.

import { parseRule } from "@keelson/engine";
import { isObject, isPermissionMode, PERMISSION_MODES } from "@keelson/protocol";
import type { ValueType } from "@keelson/protocol/settings-table";
import type * as Hooks from "./check-hooks.ts";
import type * as Providers from "./check-providers.ts";
import type { KnownKey } from "./known.ts";
import { printable, UNREAD, wrong, type SettingsPage, type Warn } from "./page.ts";

/** Checks a value before it is written to a file. */
export function checkValue(value: unknown, { key, type }: Pick<KnownKey, "key" | "type">, warn: Warn): unknown {
  const page: SettingsPage = { holder: "user", asks: [], unread: false, unreadMode: false, warn };
  return check(value, type, key, page);
}

/** Returns the value without its invalid parts, or undefined; everything dropped is reported. */
export function check(value: unknown, type: ValueType, key: string, page: SettingsPage): unknown {
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
      // Newer versions of the reference (2.1.325) call this mode "manual".
      if (value === "manual") return "default";
      if (isPermissionMode(value)) return value;
      page.unreadMode = true;
      return wrong(
        value,
        oneOf(PERMISSION_MODES),
        key,
        page,
        "it is ignored; until this is fixed, modes less strict than default are ignored too",
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
    case "hooks": {
      // Loaded late: many settings files have no hooks.
      const { checkHooks } = require("./check-hooks.ts") as typeof Hooks;
      return checkHooks(value, key, page);
    }
    case "providers": {
      // Loaded late: few settings files name model servers.
      const { checkProviders } = require("./check-providers.ts") as typeof Providers;
      return checkProviders(value, key, page);
    }
  }
}

function strictly<T>(
  value: unknown,
  what: string,
  strict: T | undefined,
  key: string,
  page: SettingsPage,
): T | undefined {
  wrong(value, what, key, page, strict === undefined ? undefined : `${JSON.stringify(strict)} is used instead`);
  return strict;
}

function checkList(value: unknown, type: ValueType & { kind: "list" }, key: string, page: SettingsPage): unknown {
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

function isServerPattern(item: unknown): boolean {
  if (!isObject(item)) return false;
  const { serverName: name, serverCommand: words, serverUrl: url } = item;
  if ([name, words, url].filter((part) => part !== undefined).length !== 1) return false;
  return isText(name) || isText(url) || (Array.isArray(words) && words.length > 0 && words.every(isText));
}

const ITEMS: Readonly<
  Record<"text" | "credential" | "server" | "any", { what: string; holds(item: unknown): boolean }>
> = {
  any: { what: "anything", holds: () => true },
  text: { what: "a string", holds: isText },
  server: {
    what: 'one of {"serverName": …}, {"serverCommand": […]} and {"serverUrl": …}',
    holds: isServerPattern,
  },
  credential: {
    what: 'a path or name with a mode, such as {"path": "~/.netrc", "mode": "deny"}',
    holds: (item) =>
      isObject(item) && isText(item["path"] ?? item["name"]) && (item["mode"] === "deny" || item["mode"] === "mask"),
  },
};

/**
 * A single deny or ask rule may be written without a list. An invalid deny or ask rule that names its tool makes every call of
 * that tool ask; if it names none, allow rules are ignored.
 */
function checkRules(value: unknown, behavior: "allow" | "ask" | "deny", key: string, page: SettingsPage): unknown {
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
    const outcome = tool === undefined ? UNREAD : `until this is fixed, every ${printable(tool)} call asks`;
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

function checkMap(value: unknown, of: MapValue, key: string, page: SettingsPage): unknown {
  if (!isObject(value)) return wrong(value, "an object", key, page);
  const type = mapType(of);
  const entries = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(
    entries.flatMap(([name, inner]) => {
      const valid = check(inner, type, `${key}.${printable(name)}`, page);
      return valid === undefined ? [] : [[name, valid]];
    }),
  );
}

type MapValue = Extract<ValueType, { kind: "map" }>["of"];

function mapType(of: MapValue): ValueType {
  if (of === "texts") return { kind: "list", of: "text" };
  return of === "guard" ? { kind: "flag", strict: true } : { kind: of };
}

function checkVariables(value: unknown, key: string, page: SettingsPage): unknown {
  if (!isObject(value)) return wrong(value, "an object of strings", key, page);
  const kept: Record<string, string> = {};
  for (const [name, setting] of Object.entries(value)) {
    const isName = /^[^=\0\s]+$/.test(name) && name !== "__proto__";
    const isScalar = ["string", "number", "boolean"].includes(typeof setting) && !String(setting).includes("\0");
    if (isName && isScalar) kept[name] = String(setting);
    else if (isName) wrong(setting, "a string", `${key}.${name}`, page);
    else page.warn(`${key}.${printable(name)}`, "is not a variable name");
  }
  return kept;
}

function checkPrices(value: unknown, key: string, page: SettingsPage): unknown {
  if (!isObject(value)) return wrong(value, "an object of prices", key, page);
  const entries = Object.entries(value).filter(
    ([id, price]) => id !== "__proto__" && (isModelPrice(price) || wrong(price, PRICES, `${key}.${id}`, page)),
  );
  return Object.fromEntries(entries);
}

export const PRICES = 'prices such as {"input": 3, "output": 15} in dollars per million tokens';

export function isModelPrice(price: unknown): boolean {
  if (!isObject(price)) return false;
  const { longPrompt, ...usual } = price;
  if (!isPlainPrice(usual)) return false;
  return longPrompt === undefined || (isPlainPrice(longPrompt) && typeof longPrompt["above"] === "number");
}

function isPlainPrice(price: unknown): price is Record<string, number> {
  const isPrice = (part: unknown) => typeof part === "number" && part >= 0;
  return isObject(price) && isPrice(price["input"]) && isPrice(price["output"]) && Object.values(price).every(isPrice);
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
