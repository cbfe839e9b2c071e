// Checks the values of one settings file. A bad value loses only itself, and a sentence says so.
// Keys that are not listed pass through untouched: other versions and other tools own them.

import { parseRule } from "@keelson/engine";
import { isObject, isPermissionMode, PERMISSION_MODES } from "@keelson/protocol";

export interface Checked {
  readonly settings: Record<string, unknown>;
  readonly warnings: readonly string[];
}

/** Keeps what is sound. `file` is only for the sentences. */
export function checkSettings(raw: Readonly<Record<string, unknown>>, file: string): Checked {
  const warnings: string[] = [];
  const warn: Warn = (key, problem) => void warnings.push(`${file}: ${key} ${problem}; it is ignored`);
  return { settings: keepObject(raw, CHECKS, "", warn), warnings: bounded(warnings, file) };
}

type Warn = (key: string, problem: string) => void;
/** Returns the value to keep, perhaps repaired, or undefined after warning. */
type Check = (value: unknown, key: string, warn: Warn) => unknown;

const MAX_WARNINGS = 20;
const EXAMPLE = 60;

function expect(what: string, holds: (value: unknown) => boolean): Check {
  return (value, key, warn) => {
    if (holds(value)) return value;
    warn(key, `should be ${what}, not ${example(value)}`);
    return undefined;
  };
}

const text = expect("a string", (value) => typeof value === "string");
const flag = expect("true or false", (value) => typeof value === "boolean");
const disable = expect('"disable"', (value) => value === "disable");

const mode: Check = (value, key, warn) => {
  // The newer name of the same mode (observed, 2.1.325).
  if (value === "manual") return "default";
  return expect(`one of ${PERMISSION_MODES.join(", ")}`, isPermissionMode)(value, key, warn);
};

/** A list whose bad items are dropped one by one. */
function list(item: Check, options: { readonly lone?: boolean } = {}): Check {
  return (value, key, warn) => {
    // A lone string where a list belongs still means what it says; losing a deny rule over it would open a door.
    if (options.lone && typeof value === "string") return list(item)([value], key, warn);
    if (!Array.isArray(value)) return expect("a list", () => false)(value, key, warn);
    return value.flatMap((entry, index) => item(entry, `${key}[${index}]`, warn) ?? []);
  };
}

const rule: Check = (value, key, warn) => {
  if (typeof value === "string" && parseRule(value) !== undefined) return value;
  warn(key, `should be a rule such as "Bash(git *)" or "Read", not ${example(value)}`);
  return undefined;
};

const models: Check = (value, key, warn) => (typeof value === "string" ? value : list(text)(value, key, warn));

const environment: Check = (value, key, warn) => {
  if (!isObject(value)) return expect("an object of strings", () => false)(value, key, warn);
  const kept: Record<string, string> = {};
  for (const [name, setting] of Object.entries(value)) {
    const isName = /^[^=\0\s]+$/.test(name) && name !== "__proto__";
    const isScalar = ["string", "number", "boolean"].includes(typeof setting) && !String(setting).includes("\0");
    if (isName && isScalar) kept[name] = String(setting);
    else
      warn(`${key}.${clean(name)}`, isName ? `should be a string, not ${example(setting)}` : "is not a variable name");
  }
  return kept;
};

const prices: Check = (value, key, warn) => {
  if (!isObject(value)) return expect("an object of prices", () => false)(value, key, warn);
  const isPrice = (part: unknown) => typeof part === "number" && part >= 0;
  const holds = (price: unknown) =>
    isObject(price) && isPrice(price["input"]) && isPrice(price["output"]) && Object.values(price).every(isPrice);
  const what = 'prices such as {"input": 3, "output": 15} in dollars for a million tokens';
  return keepObject(
    value,
    Object.fromEntries(Object.keys(value).map((id) => [id, expect(what, holds)])),
    `${key}.`,
    warn,
  );
};

const PERMISSIONS: Readonly<Record<string, Check>> = {
  allow: list(rule),
  ask: list(rule, { lone: true }),
  deny: list(rule, { lone: true }),
  additionalDirectories: list(text),
  defaultMode: mode,
  disableBypassPermissionsMode: disable,
  disableAutoMode: disable,
};

const CHECKS: Readonly<Record<string, Check>> = {
  model: text,
  fallbackModel: models,
  effortLevel: text,
  alwaysThinkingEnabled: flag,
  env: environment,
  cleanupPeriodDays: expect("a whole number of at least 1", (value) => Number.isInteger(value) && Number(value) >= 1),
  summarizeOnMaxTurns: flag,
  modelPrices: prices,
  apiKeyHelper: text,
  disableAllHooks: flag,
  disableAutoMode: disable,
  allowManagedPermissionRulesOnly: flag,
  permissions: (value, key, warn) =>
    isObject(value)
      ? keepObject(value, PERMISSIONS, `${key}.`, warn)
      : expect("an object", () => false)(value, key, warn),
};

function keepObject(
  raw: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  prefix: string,
  warn: Warn,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (key === "__proto__") continue;
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    const sound = check === undefined ? value : check(value, prefix + clean(key), warn);
    if (sound !== undefined) kept[key] = sound;
  }
  return kept;
}

function bounded(warnings: readonly string[], file: string): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${file}: ${warnings.length - MAX_WARNINGS} more values are ignored`];
}

const example = (value: unknown) => clean((JSON.stringify(value) ?? String(value)).slice(0, EXAMPLE));

/** Text out of a file, made fit for one line of a terminal. */
// oxlint-disable-next-line no-control-regex
const clean = (value: string) => value.slice(0, EXAMPLE).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
