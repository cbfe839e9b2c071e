// Wording shared by the hook commands: the event argument, and how a hook, its outcome and its reply are shown.

import { HOOK_EVENTS, type HookEvent, type HookRegistration, type HookRun } from "@keelson/protocol";
import type { HookReply, BackgroundReply } from "@keelson/runtime/hooks";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean, eitherOf } from "../../args/nearest.ts";
import { oneLine, SOURCES, type Palette } from "../permissions/words.ts";

export const SOURCE_WORDS: Readonly<Record<HookRegistration["source"], string>> = {
  ...SOURCES,
  pluginHook: "a plugin",
  skill: "a skill",
  agent: "an agent",
  sdk: "the client",
};

type Tone = "allow" | "ask" | "deny";

/** A hook's reply in a few words, and its color. */
export function replyInWords(
  reply: Partial<HookReply>,
  late?: BackgroundReply,
): { readonly text: string; readonly tone?: Tone } {
  if (late !== undefined) {
    if (late.problem !== undefined) return { text: "fails in the background", tone: "ask" };
    const then = late.wakes
      ? "wakes the model"
      : late.text === undefined
        ? "no output"
        : "output reaches the model later";
    return { text: `runs in the background, ${then}` };
  }
  if (reply.async !== undefined) return { text: "runs in the background" };
  const parts = [
    ...(reply.verdict === undefined ? [] : [VERDICTS[reply.verdict]]),
    ...(reply.stop === undefined ? [] : ["stops the run"]),
    ...(reply.input === undefined ? [] : ["changes the input"]),
    ...(reply.output === undefined ? [] : ["changes the output"]),
    ...(reply.permission === undefined ? [] : [`answers the permission question: ${reply.permission.behavior}`]),
    ...((reply.context ?? []).length > 0 ? ["adds context"] : []),
    ...(reply.fields === undefined ? [] : [`sets ${Object.keys(reply.fields).join(", ")}`]),
    ...(reply.systemMessage === undefined ? [] : ["shows the user a message"]),
    ...(reply.problem === undefined ? [] : ["fails without blocking"]),
  ];
  if (parts.length === 0) return { text: "no objection" };
  const tone = reply.verdict === "deny" || reply.stop !== undefined ? "deny" : toneOf(reply);
  return { text: parts.join(", "), ...(tone && { tone }) };
}

const VERDICTS = { deny: "blocks", defer: "defers", ask: "requires approval", allow: "allows" } as const;

function toneOf({ verdict, problem }: Partial<HookReply>): Tone | undefined {
  if (verdict === "allow") return "allow";
  return verdict === undefined && problem === undefined ? undefined : "ask";
}

/** `exit 2, 12 ms` */
export function endOf({ outcome, exitCode, durationMs }: HookRun, type: string): string {
  const how =
    outcome === "cancelled" ? "cancelled" : exitCode === undefined || type !== "command" ? "" : `exit ${exitCode}`;
  return [how, `${Math.round(durationMs)} ms`].filter((part) => part !== "").join(", ");
}

/** A label and the lines of a text below each other, cut after `most` lines. */
export function block(name: string, text: string, palette: Palette, most = 12): string[] {
  const lines = text.replace(/\s+$/, "").split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const shown = lines.slice(0, most).map((line) => oneLine(line, 200));
  const more = lines.length > most ? [`… ${lines.length - most} more lines`] : [];
  return [...shown, ...more].map((line, at) => `${palette.dim((at === 0 ? name : "").padEnd(9))}${line}`);
}

/** The fields of a hook input that belong to the event, without those that every input has. */
export function ownFields(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !COMMON_FIELDS.includes(key)));
}

export const COMMON_FIELDS: readonly string[] = [
  "session_id",
  "transcript_path",
  "cwd",
  "prompt_id",
  "hook_event_name",
  "effort",
];

/** The event named by the only word. */
export function eventOf([event, ...more]: readonly string[], usage: string): HookEvent {
  if (event === undefined || more.length > 0) throw new UsageError(usage);
  const found = HOOK_EVENTS.find((name) => name === event);
  if (found !== undefined) return found;
  throw new UsageError(`unknown event "${event}"${didYouMean(event, HOOK_EVENTS) || `; use ${eitherOf(HOOK_EVENTS)}`}`);
}
