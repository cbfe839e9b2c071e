// How long a handler may run. Settings give seconds; these functions return milliseconds.

import type { HookRegistration } from "@keelson/protocol";

const SECOND = 1_000;
/** The longest delay a timer supports. */
const LONGEST = 2 ** 31 - 1;
const SESSION_END = 1.5 * SECOND;
const SESSION_END_MOST = 60 * SECOND;

export function hookTimeout({ event, handler }: HookRegistration): number {
  return given(handler.timeout) ?? defaultFor(event, handler.type) * SECOND;
}

/**
 * The total time for all SessionEnd handlers. A longer `timeout` in a settings file raises it, up to a minute; plugins,
 * skills, agents and clients cannot delay the end.
 */
export function sessionEndBudget(
  registrations: readonly HookRegistration[],
  env: Readonly<Record<string, string | undefined>>,
): number {
  const wanted = env["CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"]?.trim() ?? "";
  if (/^[1-9]\d*$/.test(wanted)) return Math.min(Number(wanted), LONGEST);
  const longest = registrations
    .filter(({ event, source }) => event === "SessionEnd" && !ELSEWHERE.has(source))
    .reduce((most, { handler }) => Math.max(most, given(handler.timeout) ?? 0), SESSION_END);
  return Math.min(longest, SESSION_END_MOST);
}

const ELSEWHERE: ReadonlySet<HookRegistration["source"]> = new Set(["pluginHook", "skill", "agent", "sdk"]);

function given(seconds: number | undefined): number | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return Math.min(Math.ceil(seconds * SECOND), LONGEST);
}

function defaultFor(event: HookRegistration["event"], type: HookRegistration["handler"]["type"]): number {
  if (type === "prompt") return 30;
  if (type === "agent") return 60;
  if (type === "callback") return 600;
  if (event === "UserPromptSubmit") return 30;
  return event === "MessageDisplay" ? 10 : 600;
}
