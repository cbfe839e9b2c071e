// The input a handler gets for an event: its fields, in the order clients expect.

import type { HookEvent, JsonObject } from "@keelson/protocol";
import { EVENT_FACTS } from "./event-facts.ts";

/** Fields common to all events, spelled as they are sent. */
export interface HookBase {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  /** Absent before the first prompt. */
  readonly prompt_id?: string;
  readonly permission_mode?: string;
  /** Set inside a subagent. */
  readonly agent_id?: string;
  /** Set inside a subagent, and in a session that runs as an agent. */
  readonly agent_type?: string;
  readonly effort?: { readonly level: string };
}

/** The JSON a handler reads. Fields the event does not have are dropped, even if the caller passes them. */
export function hookInput(event: HookEvent, base: HookBase, own: JsonObject): JsonObject {
  const { carries, input } = EVENT_FACTS[event];
  const shown: [string, JsonObject[string]][] = [
    ["session_id", base.session_id],
    ["transcript_path", base.transcript_path],
    ["cwd", base.cwd],
    ["prompt_id", base.prompt_id],
    ["permission_mode", carries.includes("permission_mode") ? base.permission_mode : undefined],
    ["agent_id", base.agent_id],
    ["agent_type", base.agent_type],
    ["effort", carries.includes("effort") ? base.effort : undefined],
    ["hook_event_name", event],
    ...input.map((field): [string, JsonObject[string]] => [field, Object.hasOwn(own, field) ? own[field] : undefined]),
  ];
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

/** What a matcher is compared with; undefined if the event has no such field. */
export function matcherSubject(event: HookEvent, input: JsonObject): string | undefined {
  const { matchedOn } = EVENT_FACTS[event];
  const value = matchedOn === undefined || !Object.hasOwn(input, matchedOn) ? undefined : input[matchedOn];
  if (typeof value !== "string") return undefined;
  return event === "FileChanged" ? value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1) : value;
}

/** They have matchers, but are named without what those are compared with (conformance: hooks). */
const PLAINLY_NAMED: readonly HookEvent[] = ["SubagentStop", "UserPromptExpansion"];

/** The event's name on the wire and in texts: `PreToolUse:Bash`, `SessionStart:startup`, `Stop`. */
export function eventLabel(event: HookEvent, input: JsonObject): string {
  const subject = PLAINLY_NAMED.includes(event) ? undefined : matcherSubject(event, input);
  return subject === undefined || subject === "" ? event : `${event}:${subject}`;
}
