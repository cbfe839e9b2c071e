// Routines as clients write them: flat names, or the nested ones of clients of other servers. Pure. docs/routines-api.md lists them.

import { isList, isObject } from "@keelson/protocol";
import type { RoutineDefinition, RoutineSource } from "../records/routine.ts";
import type { WantedSchedule } from "../schedule/preview.ts";
import { keepableText } from "../triggers/payload.ts";
import { wrongField } from "./api-error.ts";

export type RoutineFields = Readonly<Record<string, unknown>>;

/** What a person writes: everything but what the server sets. */
export interface WrittenRoutine {
  readonly definition: RoutineDefinition;
  readonly schedule: WrittenSchedule;
  readonly enabled: boolean;
}

/**
 * Among the fields that are kept as they are: what else was written. So each change makes a version, and the history tells when a
 * routine was due at that time.
 */
export const WRITTEN = "keelson_written";

/** Without a cron line and a time, nothing is due by itself. */
export type WrittenSchedule = Required<Pick<WantedSchedule, "cron" | "zone" | "runOnceAt" | "jitterMs" | "expiresAt">>;

const NO_SCHEDULE: WrittenSchedule = {
  cron: null,
  zone: "UTC",
  runOnceAt: null,
  jitterMs: null,
  expiresAt: null,
};

const NEW: WrittenRoutine = {
  definition: {
    name: "",
    prompt: "",
    model: null,
    permissionMode: "dontAsk",
    allowedTools: [],
    sources: [],
    environmentId: null,
    overlap: "skip",
    catchUp: "one",
    timeoutS: 3_600,
    maxAttempts: 3,
    maxTurns: null,
    budgetUsd: null,
    onCrash: "resume",
    questions: "deny",
    notify: [],
    extra: {},
  },
  schedule: NO_SCHEDULE,
  enabled: true,
};

/** Of a routine that nothing starts by itself: what was written about times all the same, for when something does. */
export function unusedSchedule(extra: RoutineFields): WrittenSchedule {
  const written = extra[WRITTEN];
  return { ...NO_SCHEDULE, ...(isObject(written) ? written : {}), cron: null, runOnceAt: null };
}

/** What a body makes of a routine: of the one there is, or of a new one. A missing field keeps its value, and null clears it. */
export function writtenRoutine(body: RoutineFields, current: WrittenRoutine = NEW): WrittenRoutine {
  const given = flat(body);
  const { definition, schedule } = current;
  const extra = new Map(Object.entries(definition.extra));
  let next: Record<string, unknown> = { ...definition };
  const when: Record<string, unknown> = { ...schedule };
  let { enabled } = current;
  for (const [name, value] of Object.entries(given)) {
    if (SET_BY_SERVER.has(name)) throw wrongField(name, "set by the server");
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name]! : undefined;
    if (name === "enabled") enabled = flag(name, value);
    else if (Object.hasOwn(TIMES, name)) when[TIMES[name]!.to] = TIMES[name]!.read(name, value);
    else if (field) next = { ...next, [field.to]: value === null ? NEW.definition[field.to] : field.read(name, value) };
    else if (value === null) extra.delete(name);
    else extra.set(name, BRANCHES.has(name) ? texts(name, value) : value);
  }
  // One of the two replaces the other.
  if (given["run_once_at"] != null && given["cron_expression"] === undefined) when["cron"] = null;
  if (given["cron_expression"] != null && given["run_once_at"] === undefined) when["runOnceAt"] = null;
  // A new time starts a one-off again.
  if (given["run_once_at"] != null && given["enabled"] === undefined) enabled = true;
  extra.delete(WRITTEN);
  if (Buffer.byteLength(JSON.stringify([...extra])) > MOST_EXTRA)
    throw wrongField([...extra.keys()][0]!, `fields that are not known may have ${MOST_EXTRA} bytes in all`);
  const written = {
    ...(next as RoutineDefinition & typeof next),
    extra: Object.fromEntries([...extra, [WRITTEN, { ...when, enabled }]]),
  };
  for (const name of ["name", "prompt"] as const) if (written[name] === "") throw wrongField(name, "required");
  return { definition: written, schedule: when as WrittenSchedule & typeof when, enabled };
}

/** Workers read them: what is no list would protect nothing. */
const BRANCHES: ReadonlySet<string> = new Set(["push_branches", "protected_branches"]);

const MOST_EXTRA = 64 * 1_024;

const SET_BY_SERVER = new Set([
  ...["id", "version", "next_run_at", "last_fired_at", "last_runs", "disabled_reason", "created_at", "updated_at"],
  ...["failures_in_row", "schedule_text", "last_run", "webhooks", "type", "may_change", "owner_name", WRITTEN],
]);

/** The nested names as flat ones. One that is given twice must have one value. */
function flat(body: RoutineFields): RoutineFields {
  const { cron, job_config: nested, ...fields } = body;
  const result: Record<string, unknown> = { ...fields };
  const add = (name: string, value: unknown, from: string) => {
    if (value === undefined) return;
    if (Object.hasOwn(fields, name) && JSON.stringify(fields[name]) !== JSON.stringify(value))
      throw wrongField(from, `differs from ${name}`);
    result[name] = value;
  };
  add("cron_expression", cron, "cron");
  if (nested === undefined || nested === null) return { ...result, ...(nested === null && { job_config: null }) };
  const { ccr, ...beside } = objectIn("job_config", nested);
  if (ccr === undefined) return { ...result, job_config: nested };
  const path = "job_config.ccr";
  const { environment_id, session_context, events, ...others } = objectIn(path, ccr);
  const context = session_context === undefined ? {} : objectIn(`${path}.session_context`, session_context);
  const { model, sources, allowed_tools, ...more } = context;
  add("environment_id", environment_id, `${path}.environment_id`);
  for (const [name, value] of Object.entries({ model, sources, allowed_tools }))
    add(name, value, `${path}.session_context.${name}`);
  add("prompt", promptOf(events), `${path}.events[0].data.message`);
  const kept = {
    ...others,
    ...(Object.keys(more).length === 0 ? {} : { session_context: more }),
  };
  const hasMore = Object.keys(kept).length + Object.keys(beside).length > 0;
  return hasMore ? { ...result, job_config: { ...beside, ccr: kept } } : result;
}

function promptOf(events: unknown): string | undefined {
  if (events === undefined) return undefined;
  const [event, ...others] = isList(events) ? events : [undefined, undefined];
  if (event !== undefined && !isObject(event)) throw wrongField("job_config.ccr.events[0]", "must be an object");
  if (others.length > 0) throw wrongField("job_config.ccr.events", "must be a list of one event");
  const data = isObject(event) ? event["data"] : undefined;
  const message = isObject(data) ? data["message"] : undefined;
  const content = isObject(message) ? message["content"] : message;
  if (content === undefined) return undefined;
  if (typeof content === "string") return content;
  const texts = isList(content) ? content.map((block) => (isObject(block) ? block["text"] : undefined)) : [];
  if (texts.length > 0 && texts.every((part) => typeof part === "string")) return texts.join("\n");
  throw wrongField("job_config.ccr.events[0].data.message", "must be a text");
}

type Reader = (name: string, value: unknown) => unknown;

interface Field {
  readonly to: keyof RoutineDefinition;
  readonly read: Reader;
}

const text =
  (least: number, most: number): Reader =>
  (name, value) => {
    if (typeof value !== "string" || value.length < least || value.length > most)
      throw wrongField(name, `must be a text of ${least} to ${most} characters`);
    checkText(name, value);
    return value;
  };

/** What every database can keep, and every program can be started with. */
function checkText(name: string, value: string): void {
  if (value !== keepableText(value)) throw wrongField(name, "must not have NUL or half a character in it");
}

const number =
  (least: number, most: number, isWhole = true): Reader =>
  (name, value) => {
    if (typeof value !== "number" || !(value >= least && value <= most) || (isWhole && !Number.isInteger(value)))
      throw wrongField(name, `must be a ${isWhole ? "whole " : ""}number from ${least} to ${most}`);
    return value;
  };
const oneOf =
  (...values: readonly string[]): Reader =>
  (name, value) => {
    if (!values.includes(value as string)) throw wrongField(name, `must be ${values.join(" or ")}`);
    return value;
  };

function flag(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw wrongField(name, "must be true or false");
  return value;
}

const MOST_ITEMS = 200;

const texts: Reader = (name, value) => {
  if (
    !isList(value) ||
    value.length > MOST_ITEMS ||
    !value.every((each) => typeof each === "string" && each.length <= 2_000)
  )
    throw wrongField(name, `must be a list of at most ${MOST_ITEMS} texts of at most 2000 characters`);
  for (const each of value) checkText(name, String(each));
  return value;
};

const FIELDS: Readonly<Record<string, Field>> = {
  name: { to: "name", read: text(1, 200) },
  prompt: { to: "prompt", read: text(1, 100_000) },
  model: { to: "model", read: text(1, 200) },
  permission_mode: {
    to: "permissionMode",
    read: oneOf("default", "acceptEdits", "auto", "dontAsk", "plan", "bypassPermissions"),
  },
  allowed_tools: { to: "allowedTools", read: texts },
  sources: { to: "sources", read: sources },
  environment_id: { to: "environmentId", read: text(1, 128) },
  overlap: { to: "overlap", read: oneOf("skip", "queue", "cancel") },
  catch_up: { to: "catchUp", read: oneOf("one", "none", "all") },
  timeout_s: { to: "timeoutS", read: number(60, 86_400) },
  max_attempts: { to: "maxAttempts", read: number(1, 20) },
  max_turns: { to: "maxTurns", read: number(1, 10_000) },
  budget_usd: { to: "budgetUsd", read: number(0.000_001, 1_000_000, false) },
  on_crash: { to: "onCrash", read: oneOf("resume", "restart", "fail") },
  questions: { to: "questions", read: oneOf("deny", "ask") },
  notify: { to: "notify", read: notify },
};

const TIMES: Readonly<Record<string, { readonly to: keyof WrittenSchedule; readonly read: Reader }>> = {
  cron_expression: { to: "cron", read: orNull(text(9, 200)) },
  zone: { to: "zone", read: (name, value) => (value === null ? "UTC" : text(1, 64)(name, value)) },
  run_once_at: { to: "runOnceAt", read: orNull(timeIn) },
  jitter_ms: { to: "jitterMs", read: orNull(number(0, 30 * 60_000)) },
  expires_at: { to: "expiresAt", read: orNull(timeIn) },
};

function orNull(read: Reader): Reader {
  return (name, value) => (value === null ? null : read(name, value));
}

/** A time without a zone would be one of this machine. */
export function timeIn(name: string, value: unknown): number {
  const ms = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw wrongField(name, "must be a time such as 2026-03-02T09:00:00Z");
  return ms;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function sources(name: string, value: unknown): readonly RoutineSource[] {
  if (!isList(value) || value.length > 20) throw wrongField(name, "must be a list of at most 20 repositories");
  return value.map((each, at) => {
    const { url, ref } = objectIn(`${name}[${at}]`, each);
    const source = { url: text(1, 2_000)(`${name}[${at}].url`, url) as string };
    return ref === undefined || ref === null
      ? source
      : { ...source, ref: text(1, 250)(`${name}[${at}].ref`, ref) as string };
  });
}

function notify(name: string, value: unknown): RoutineDefinition["notify"] {
  if (!isList(value) || value.length > 10) throw wrongField(name, "must be a list of at most 10 targets");
  return value.map((each, at) => {
    const { kind, target, on = "failed" } = objectIn(`${name}[${at}]`, each);
    if (kind !== "webhook" && kind !== "ntfy" && kind !== "command")
      throw wrongField(`${name}[${at}].kind`, "must be webhook, ntfy or command");
    // Of commands, only the name: whoever runs the workers says what it is.
    const isTarget =
      typeof target === "string" &&
      (kind === "command" ? /^[\w-]{1,100}$/.test(target) : /^https?:\/\//.test(target) && URL.canParse(target));
    if (!isTarget)
      throw wrongField(
        `${name}[${at}].target`,
        kind === "command" ? "must be a name" : "must be an address with https://",
      );
    if (kind !== "command" && hasLogin(target))
      throw wrongField(
        `${name}[${at}].target`,
        'must not have a user or password, which everybody who is signed in could read; send it with a program of the workers, as {"kind": "command"}',
      );
    if (on !== "failed" && on !== "ended") throw wrongField(`${name}[${at}].on`, "must be failed or ended");
    return { kind, target, on };
  });
}

function hasLogin(target: string): boolean {
  const url = URL.parse(target);
  return url !== null && url.username + url.password !== "";
}

/** Without the user and password that a routine of an earlier version may have in it. */
export function shownTarget(target: string): string {
  if (!hasLogin(target)) return target;
  const url = new URL(target);
  url.username = "***";
  url.password = "";
  return url.href;
}

function objectIn(name: string, value: unknown): RoutineFields {
  if (!isObject(value)) throw wrongField(name, "must be an object");
  return value;
}
