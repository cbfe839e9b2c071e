// For tests only: short ways to describe a handler and how it ended.

import type { HookEvent, HookHandler, HookRun, JsonObject } from "@keelson/protocol";
import { readReply, type HookReply } from "./reply.ts";

export function exit(exitCode: number, stdout: string | JsonObject = "", stderr = ""): HookRun {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  return { outcome: exitCode === 0 ? "success" : "error", exitCode, stdout: text, stderr, durationMs: 1 };
}

export const timedOut: HookRun = {
  outcome: "cancelled",
  stdout: '{"decision":"block"}',
  stderr: "",
  problem: "It did not end within 5 s",
  durationMs: 1,
};

export const notStarted: HookRun = {
  outcome: "error",
  stdout: "",
  stderr: "",
  problem: "It could not be started",
  durationMs: 1,
};

const SUBJECTS: Partial<Record<HookEvent, string>> = {
  PreToolUse: "Bash",
  PostToolUse: "Bash",
  PostToolUseFailure: "Bash",
  PermissionRequest: "Bash",
  PermissionDenied: "Bash",
  SessionStart: "startup",
};

export const guard: HookHandler = { type: "command", command: "guard.sh" };

export function aboutOf(event: HookEvent, handler: HookHandler = guard, subject = SUBJECTS[event]) {
  return { event, label: subject === undefined ? event : `${event}:${subject}`, handler };
}

export function reply(event: HookEvent, run: HookRun, handler: HookHandler = guard, subject?: string): HookReply {
  return readReply(run, aboutOf(event, handler, subject ?? SUBJECTS[event]));
}

/** A reply in `hookSpecificOutput`. */
export function specific(event: HookEvent, own: JsonObject, top: JsonObject = {}): JsonObject {
  return { ...top, hookSpecificOutput: { hookEventName: event, ...own } };
}
