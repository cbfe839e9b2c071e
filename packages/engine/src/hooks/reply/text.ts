// The sentences hooks produce for the model and for people. Clients know these forms (2.1.197).

import type { HookEvent, HookHandler } from "@keelson/protocol";
import { cutAtLine } from "../../tool/bound.ts";
import { EVENT_FACTS, isToolEvent } from "../event-facts.ts";

/** One handler and the event that fired it. */
export interface FiredHook {
  readonly event: HookEvent;
  /** `PreToolUse:Bash`, `SessionStart:startup`, `Stop`. */
  readonly label: string;
  readonly handler: HookHandler;
}

/** Longest text of one handler; longer text is cut, with a note. */
export const MOST_CHARACTERS = 10_000;
const LONGEST_NAME = 2_000;
const LONGEST_DETAIL = 500;

/** How a handler is named in texts. */
export function handlerName(handler: HookHandler): string {
  return short(fullName(handler), LONGEST_NAME);
}

/** The text of a block for the model. `raw` means it comes from an exit code, so the handler's name goes first. */
export function blockText(about: FiredHook, said: string, { raw }: { raw: boolean }): string {
  const { event, label, handler } = about;
  const name = handlerName(handler);
  const body = raw ? `[${name}]: ${bounded(said)}` : bounded(said);
  switch (EVENT_FACTS[event].blockForm) {
    case "tool error":
      // A reason from a settings file is passed on unchanged; a client's callback is named as the cause.
      return raw || handler.type === "callback" ? `${label} hook error: ${body}` : body;
    case "reminder":
      return `${label} hook blocking error from command: "${name}": ${body}`;
    case "feedback":
      return `${event} hook feedback:\n${body}`;
    case "plain":
      return body;
  }
}

/** The text when a prompt or agent hook says no. */
export function unmetCondition(about: FiredHook, reason: string): string {
  const { event, label, handler } = about;
  const body = handler.type === "agent" ? `Agent hook condition was not met: ${bounded(reason)}` : undefined;
  if (EVENT_FACTS[event].blockForm === "tool error" && body) return `${label} hook error: ${body}`;
  return blockText(about, body ?? reason, { raw: body === undefined });
}

export function contextText({ event, label }: FiredHook, text: string): string {
  return `${isToolEvent(event) ? label : event} hook additional context: ${bounded(text)}`;
}

/** Plain text on stdout, for events that pass it on. Words for a summary are instructions, and need no explanation. */
export function successText({ label, event }: FiredHook, text: string): string {
  if (event === "PreCompact") return bounded(text.trim());
  return `${label} hook success: ${bounded(text.trim())}`;
}

/** A failure that stops nothing, for people. They see the event's name before it. */
export function problemText({ handler }: FiredHook, what: string): string {
  return `"${short(oneLine(fullName(handler)), 120)}" ${what}`;
}

/** The beginning of a text that is too long, with a note about the rest. Terminal control sequences are removed. */
export function bounded(text: string): string {
  if (text.length <= MOST_CHARACTERS) return withoutControls(text);
  const head = cutAtLine(text, MOST_CHARACTERS - 100);
  const left = text.length - head.length;
  return `${withoutControls(head)}\n… (${left} more characters of this hook's output were cut)`;
}

/** Colors mean nothing to a model, and people may read the same text in a terminal. */
function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}

// Whole sequences first, so that no "[31m" remains, then single characters. Newlines and tabs stay.
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A program's output, short enough for one sentence. */
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
