// Reads the JSON a handler printed, field by field: fields the event uses are kept, the rest dropped. A field of the
// wrong type is dropped and reported to people; unknown fields are ignored.

import { isObject, type HookVerdict } from "@keelson/protocol";
import { EVENT_FACTS, type EventFacts, type FieldKind } from "../event-facts.ts";
import { readPermission } from "./permission-answer.ts";
import type { HookReply } from "./reply.ts";
import { blockText, bounded, contextText, problemText, type FiredHook } from "./text.ts";

type Json = Readonly<Record<string, unknown>>;

export function readOutput(json: Json, about: FiredHook): HookReply {
  const facts = EVENT_FACTS[about.event];
  const wrong: string[] = [];
  const top = fieldsOf(json, wrong);
  const specific = fieldsOf(specificOf(json, about, wrong), wrong);

  const { verdict, reason } = verdictOf(top, specific, facts, about);
  const context = facts.context ? specific.text("additionalContext") : undefined;
  const input = facts.updatedInput ? inputOf(top, specific) : undefined;
  const replaced = facts.updatedOutput ? outputOf(specific, about) : undefined;
  const stop = top.flag("continue") === false && facts.stops ? bounded(top.text("stopReason") ?? "") : undefined;
  const decision = facts.permission ? specific.object("decision") : undefined;
  const permission = decision && readPermission(decision, wrong);
  const systemMessage = top.text("systemMessage");
  const fields = otherFields(top, specific, facts);
  const ignored = ignoredOutputs(json, specific.names, facts);

  return {
    ...(verdict && { verdict }),
    ...(reason !== undefined && { reason }),
    context: context ? [contextText(about, context)] : [],
    ...(input !== undefined && { input }),
    ...(replaced !== undefined && { output: replaced.value }),
    ...(stop !== undefined && { stop }),
    ...(permission && { permission }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(systemMessage && { systemMessage: bounded(systemMessage) }),
    ...(ignored.length > 0 && { ignored }),
    ...(wrong.length > 0 && { problem: problemText(about, `answered, but ${wrong.join(" and ")}`) }),
  };
}

/** Hooks cannot block what the machine's administrator decided. */
export function isUnblockable({ event, label }: FiredHook): boolean {
  return EVENT_FACTS[event].unblockable?.some((value) => label === `${event}:${value}`) ?? false;
}

/** A checked reader for one object. Problems are added to `wrong`. */
interface Fields {
  readonly names: readonly string[];
  value(name: string): unknown;
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  object(name: string): Json | undefined;
  word<const W extends string>(name: string, words: readonly W[]): W | undefined;
  kind(name: string, kind: FieldKind): unknown;
}

function fieldsOf(json: Json, wrong: string[]): Fields {
  const value = (name: string) => (Object.hasOwn(json, name) ? (json[name] ?? undefined) : undefined);
  const checked = <T>(name: string, fits: (value: unknown) => value is T, what: string): T | undefined => {
    const found = value(name);
    if (found === undefined || fits(found)) return found;
    wrong.push(`"${name}" is not ${what}`);
    return undefined;
  };
  const fields: Fields = {
    names: Object.keys(json).filter((name) => value(name) !== undefined),
    value,
    text: (name) => checked(name, (found) => typeof found === "string", "a string"),
    flag: (name) => checked(name, (found) => typeof found === "boolean", "true or false"),
    object: (name) => checked(name, isObject, "an object"),
    word: <const W extends string>(name: string, words: readonly W[]) =>
      checked(name, (found): found is W => words.includes(found as W), `one of ${words.join(", ")}`),
    kind(name, kind) {
      if (kind === "string") return fields.text(name);
      if (kind === "boolean") return fields.flag(name);
      if (kind === "object") return fields.object(name);
      if (kind === "strings") return checked(name, isStrings, "a list of strings");
      return fields.word(name, kind);
    },
  };
  return fields;
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Output for another event does not apply to this one (test/conformance/hooks/forms/forms.ts). */
function specificOf(json: Json, { event }: FiredHook, wrong: string[]): Json {
  const specific = fieldsOf(json, wrong).object("hookSpecificOutput") ?? {};
  const named = specific["hookEventName"];
  if (named === undefined || named === event) return specific;
  wrong.push(`"hookEventName" is not ${event}`);
  return {};
}

const STRICTEST: readonly HookVerdict[] = ["deny", "defer", "ask", "allow"];

/** Of the new and the legacy decision, the stricter one applies. */
function verdictOf(
  top: Fields,
  specific: Fields,
  facts: EventFacts,
  about: FiredHook,
): { verdict?: HookVerdict; reason?: string } {
  const decided = facts.verdicts.length > 0 ? specific.word("permissionDecision", facts.verdicts) : undefined;
  const legacy = facts.decision ? LEGACY[top.word("decision", ["block", "approve"]) ?? "none"] : undefined;
  const honoured = legacy === "allow" && !facts.verdicts.includes("allow") ? undefined : legacy;
  const verdict = STRICTEST.find((each) => each === decided || each === honoured);
  if (verdict === undefined || (verdict === "deny" && isUnblockable(about))) return {};
  const reason = (verdict === decided ? specific.text("permissionDecisionReason") : undefined) ?? top.text("reason");
  if (!reason) return { verdict };
  return { verdict, reason: verdict === "deny" ? blockText(about, reason, { raw: false }) : bounded(reason) };
}

const LEGACY = { block: "deny", approve: "allow", none: undefined } as const;

/** The legacy form was a bare `tool_input`. A script that echoes its whole input does not mean to change it. */
function inputOf(top: Fields, specific: Fields): Json | undefined {
  const given = specific.object("updatedInput");
  return given ?? (top.value("session_id") === undefined ? top.object("tool_input") : undefined);
}

function outputOf(specific: Fields, { label }: FiredHook): { value: unknown } | undefined {
  const value = specific.value("updatedToolOutput");
  if (value !== undefined) return { value };
  const mcp = label.startsWith("PostToolUse:mcp__") ? specific.value("updatedMCPToolOutput") : undefined;
  return mcp === undefined ? undefined : { value: mcp };
}

/** Titles, desktop notifications and the bell. Nothing that moves the cursor, reads back, or touches the clipboard. */
const HARMLESS_SEQUENCE = /^(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]{0,2000}(?:\x07|\x1b\\))+$/;

function otherFields(top: Fields, specific: Fields, facts: EventFacts): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(facts.fields)) {
    const value = specific.kind(name, kind);
    if (value !== undefined) fields[name] = value;
  }
  const sequence = top.text("terminalSequence");
  if (sequence !== undefined && sequence.length <= 10_000 && HARMLESS_SEQUENCE.test(sequence))
    fields["terminalSequence"] = sequence;
  return fields;
}

/** Known outputs that this event ignores, so we can tell the author of the hook. */
function ignoredOutputs(json: Json, specific: readonly string[], facts: EventFacts): string[] {
  const heard: Record<string, boolean> = {
    additionalContext: facts.context,
    permissionDecision: facts.verdicts.length > 0,
    updatedInput: facts.updatedInput,
    updatedToolOutput: facts.updatedOutput,
    updatedMCPToolOutput: facts.updatedOutput,
    decision: facts.permission,
  };
  const known = (name: string) =>
    Object.hasOwn(heard, name) || Object.values(EVENT_FACTS).some(({ fields }) => Object.hasOwn(fields, name));
  const listens = (name: string) => heard[name] === true || Object.hasOwn(facts.fields, name);
  return [
    ...(json["continue"] === false && !facts.stops ? ["continue"] : []),
    ...(json["decision"] !== undefined && !facts.decision ? ["decision"] : []),
    ...specific.filter((name) => known(name) && !listens(name)),
  ];
}
