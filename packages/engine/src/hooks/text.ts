// The sentences hooks put before the model and before people. Forms are those clients have seen (2.1.197).

import type { HookEvent, HookHandler } from "@keelson/protocol";
import { cutAtLine } from "../bound.ts";
import { EVENT_FACTS, isToolEvent } from "./event-facts.ts";

/** One handler of one firing. */
export interface FiredHook {
  readonly event: HookEvent;
  /** `PreToolUse:Bash`, `SessionStart:startup`, `Stop`. */
  readonly label: string;
  readonly handler: HookHandler;
}

/** Longest text of one handler; more is cut, and the cut is said. */
export const MOST_CHARACTERS = 10_000;
const LONGEST_NAME = 2_000;
const LONGEST_DETAIL = 500;

/** How a handler is named in texts. */
export function handlerName(handler: HookHandler): string {
  return short(fullName(handler), LONGEST_NAME);
}

/** A block, as the model reads it. `raw`: from an exit code, so that the handler is named before what it said. */
export function blockText(about: FiredHook, said: string, { raw }: { raw: boolean }): string {
  const { event, label, handler } = about;
  const name = handlerName(handler);
  const body = raw ? `[${name}]: ${bounded(said)}` : bounded(said);
  switch (EVENT_FACTS[event].blockForm) {
    case "tool error":
      // A settings file's own reason is passed on to the letter; a client's function is named as the cause (observed).
      return raw || handler.type === "callback" ? `${label} hook error: ${body}` : body;
    case "reminder":
      return `${label} hook blocking error from command: "${name}": ${body}`;
    case "feedback":
      return `${event} hook feedback:\n${body}`;
    case "plain":
      return body;
  }
}

/** The no of a prompt or an agent. */
export function unmetCondition(about: FiredHook, reason: string): string {
  const { event, label, handler } = about;
  const body = handler.type === "agent" ? `Agent hook condition was not met: ${bounded(reason)}` : undefined;
  if (EVENT_FACTS[event].blockForm === "tool error" && body) return `${label} hook error: ${body}`;
  return blockText(about, body ?? reason, { raw: body === undefined });
}

export function contextText({ event, label }: FiredHook, text: string): string {
  return `${isToolEvent(event) ? label : event} hook additional context: ${bounded(text)}`;
}

/** Plain text on stdout, where an event passes it on. */
export function successText({ label }: FiredHook, text: string): string {
  return `${label} hook success: ${bounded(text.trim())}`;
}

/** A failure that stops nothing, for people, who are told beforehand which event it was. */
export function problemText({ handler }: FiredHook, what: string): string {
  return `"${short(oneLine(fullName(handler)), 120)}" ${what}`;
}

/** The beginning of a text that is too long, with a word about the rest; nothing in it commands a terminal. */
export function bounded(text: string): string {
  if (text.length <= MOST_CHARACTERS) return withoutControls(text);
  const head = cutAtLine(text, MOST_CHARACTERS - 100);
  const left = text.length - head.length;
  return `${withoutControls(head)}\n… (cut: ${left} more characters of this hook's output were left out)`;
}

/** Colours say nothing to a model, and people may read the same text on a terminal. */
function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}

// Sequences whole, so that no "[31m" stays behind, then single signs. Line ends and tabs stay.
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** What a program had to say, small enough for one sentence. */
export function detail(text: string): string {
  const line = oneLine(text);
  return line === "" ? "" : `: ${short(line, LONGEST_DETAIL)}`;
}

function fullName(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return handler.url;
    case "mcp_tool":
      return `${handler.server}/${handler.tool}`;
    case "prompt":
    case "agent":
      return handler.prompt;
    case "callback":
      return `callback ${handler.callbackId}`;
  }
}

function short(text: string, limit: number): string {
  return text.length <= limit ? text : `${cutAtLine(text, limit)}…`;
}

const oneLine = (text: string) => text.slice(0, 20_000).trim().replace(/\s+/g, " ");
