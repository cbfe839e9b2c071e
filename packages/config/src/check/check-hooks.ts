// Checks the `hooks` of one settings file. A bad handler drops only itself. A bad detail drops only the detail, in a way
// that keeps a guarding hook in force.

import { parseRule } from "@keelson/engine";
import { HOOK_EVENTS, isObject } from "@keelson/protocol";
import { printable, wrong, type SettingsPage } from "./page.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `{ event: [{ matcher?, hooks: [handler] }] }` without the invalid parts; each one is reported. */
export function checkHooks(value: unknown, key: string, page: SettingsPage): unknown {
  if (!isObject(value)) return wrong(value, "an object", key, page);
  const kept: Record<string, unknown> = {};
  for (const [event, groups] of Object.entries(value)) {
    const at = `${key}.${printable(event)}`;
    if (!(HOOK_EVENTS as readonly string[]).includes(event)) page.warn(at, `is not a hook event${suggestion(event)}`);
    else if (!Array.isArray(groups)) wrong(groups, `a list, such as [${GROUP}]`, at, page);
    else kept[event] = groups.flatMap((group: unknown, index) => checkGroup(group, `${at}[${index}]`, page));
  }
  return kept;
}

const HANDLER = '{"type": "command", "command": "./check.sh"}';
const GROUP = `{"matcher": "Bash", "hooks": [${HANDLER}]}`;

function checkGroup(group: unknown, at: string, page: SettingsPage): Fields[] {
  if (!isObject(group)) return wrong(group, `an object, such as ${GROUP}`, at, page) ?? [];
  const { matcher, hooks } = group;
  if (hooks === undefined && group["type"] !== undefined) {
    page.warn(at, `is a handler, but should be a group; wrap it in {"hooks": [ … ]}`);
    return [];
  }
  if (!Array.isArray(hooks))
    return wrong(hooks, `a list of handlers, such as [${HANDLER}]`, `${at}.hooks`, page, "this group is ignored") ?? [];
  const handlers = hooks.flatMap((handler: unknown, index) => checkHandler(handler, `${at}.hooks[${index}]`, page));
  return [{ ...(isMatcher(matcher, `${at}.matcher`, page) ? { matcher } : {}), hooks: handlers }];
}

/** An invalid matcher matches everything: a guard that fires too often gets noticed, a missing one does not. */
function isMatcher(matcher: unknown, at: string, page: SettingsPage): matcher is string {
  const outcome = "until this is fixed, its hooks run on everything";
  if (matcher === undefined) return false;
  if (typeof matcher !== "string") {
    wrong(matcher, 'a string, such as "Bash" or "Edit|Write"', at, page, outcome);
    return false;
  }
  if (matcher === "*" || /^[\w\s,|-]*$/.test(matcher)) return true;
  try {
    return new RegExp(matcher) instanceof RegExp;
  } catch {
    page.warn(at, `is not a regular expression: ${printable(JSON.stringify(matcher))}`, outcome);
    return false;
  }
}

function checkHandler(handler: unknown, at: string, page: SettingsPage): Fields[] {
  if (!isObject(handler)) return wrong(handler, `a handler, such as ${HANDLER}`, at, page) ?? [];
  const kind = handler["type"];
  const fields = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (fields === undefined) return dropHook(kind, `one of ${Object.keys(KINDS).join(", ")}`, `${at}.type`, page) ?? [];
  const kept: Record<string, unknown> = { type: kind };
  for (const [name, field] of Object.entries({ ...fields, ...COMMON })) {
    const value = handler[name];
    if (value === undefined && !field.required) continue;
    if (field.holds(value)) {
      kept[name] = value;
      continue;
    }
    if (field.required || field.essential) return dropHook(value, field.what, `${at}.${name}`, page) ?? [];
    wrong(value, field.what, `${at}.${name}`, page, field.outcome);
    if (field.instead !== undefined) kept[name] = field.instead;
  }
  return [kept];
}

function dropHook(value: unknown, what: string, at: string, page: SettingsPage): undefined {
  const outcome = "this hook is ignored";
  if (value !== undefined) return wrong(value, what, at, page, outcome);
  page.warn(at, `is missing; it should be ${what}`, outcome);
  return undefined;
}

interface Field {
  readonly what: string;
  holds(value: unknown): boolean;
  readonly required?: true;
  /** An invalid value drops the whole handler, which would do something else without it. */
  readonly essential?: true;
  /** Replaces an invalid value. */
  readonly instead?: unknown;
  readonly outcome?: string;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFilled = (value: unknown) => isText(value) && value.trim() !== "" && !value.includes("\0");
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => isText(each) && !each.includes("\0"));

const text = { what: "a string", holds: isText };
const flag = { what: "true or false", holds: (value: unknown) => typeof value === "boolean" };
const needed = (what: string): Field => ({ what, holds: isFilled, required: true });
const onFailure: Field = {
  what: '"continue" or "block"',
  holds: (value) => value === "continue" || value === "block",
  instead: "block",
  outcome: '"block" is used instead',
};

const COMMON: Readonly<Record<string, Field>> = {
  if: {
    what: 'one permission rule, such as "Bash(git *)"',
    holds: (value) => isText(value) && parseRule(value) !== undefined,
    outcome: "until this is fixed, the hook runs on everything its matcher matches",
  },
  timeout: {
    what: "a number of seconds greater than 0",
    holds: (value) => typeof value === "number" && value > 0 && isFinite(value),
  },
  statusMessage: text,
  once: flag,
};

const KINDS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  command: {
    command: needed("a command"),
    args: { what: "a list of strings", holds: isTexts, essential: true },
    shell: {
      what: '"bash" or "powershell"',
      holds: (value) => value === "bash" || value === "powershell",
      essential: true,
    },
    async: flag,
    asyncRewake: flag,
    onFailure,
  },
  http: {
    url: { what: "a URL that starts with http:// or https://", holds: isUrl, required: true },
    headers: { what: "an object of strings", holds: (value) => isObject(value) && isTexts(Object.values(value)) },
    allowedEnvVars: { what: "a list of variable names", holds: isTexts },
    onFailure,
  },
  mcp_tool: {
    server: needed("the name of an MCP server"),
    tool: needed("the name of one of its tools"),
    input: { what: "an object", holds: isObject, essential: true },
  },
  prompt: { prompt: needed("a prompt"), model: text, continueOnBlock: flag },
  agent: { prompt: needed("a prompt"), model: text },
};

function isUrl(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}

/** ` (did you mean PreToolUse?)` for names that differ only in case or punctuation, or start with `on`. */
function suggestion(written: string): string {
  const bare = (name: string) => name.replaceAll(/[^a-z]/gi, "").toLowerCase();
  const event = HOOK_EVENTS.find((name) => bare(name) === bare(written) || bare(`on${name}`) === bare(written));
  return event === undefined ? "" : ` (did you mean ${event}?)`;
}
