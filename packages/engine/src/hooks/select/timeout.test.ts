import { expect, test } from "bun:test";
import type { HookEvent, HookHandler, HookRegistration } from "@keelson/protocol";
import { sessionEndBudget, hookTimeout } from "./timeout.ts";

const command: HookHandler = { type: "command", command: "x" };
const http: HookHandler = { type: "http", url: "http://127.0.0.1/" };
const prompt: HookHandler = { type: "prompt", prompt: "x" };

test.each<[HookEvent, HookHandler, number]>([
  ["PreToolUse", command, 600_000],
  ["PreToolUse", http, 600_000],
  ["PreToolUse", { type: "mcp_tool", server: "s", tool: "t" }, 600_000],
  ["PreToolUse", prompt, 30_000],
  ["PreToolUse", { type: "agent", prompt: "x" }, 60_000],
  ["UserPromptSubmit", command, 30_000],
  ["UserPromptSubmit", http, 30_000],
  ["UserPromptSubmit", { type: "callback", callbackId: "c", client: "client-1" }, 600_000],
  ["MessageDisplay", command, 10_000],
  ["PreToolUse", { ...command, timeout: 1.5 }, 1_500],
  ["UserPromptSubmit", { ...command, timeout: 90 }, 90_000],
  ["PreToolUse", { ...prompt, timeout: 5 }, 5_000],
  ["PreToolUse", { ...command, timeout: 0 }, 600_000],
  ["PreToolUse", { ...command, timeout: -1 }, 600_000],
  ["PreToolUse", { ...command, timeout: Number.NaN }, 600_000],
  ["PreToolUse", { ...command, timeout: 1e300 }, 2_147_483_647],
])("%s, %j: %d ms", (event, handler, expected) => {
  expect(hookTimeout({ event, handler, source: "userSettings" })).toBe(expected);
});

const atEnd = (timeout: number | undefined, source: HookRegistration["source"] = "userSettings"): HookRegistration => ({
  event: "SessionEnd",
  source,
  handler: { ...command, ...(timeout !== undefined && { timeout }) },
});

test.each<[string, HookRegistration[], Record<string, string>, number]>([
  ["no hook asks for more", [atEnd(undefined)], {}, 1_500],
  ["a settings file asks for more", [atEnd(5), atEnd(3)], {}, 5_000],
  ["a hook asks for less", [atEnd(1)], {}, 1_500],
  ["the limit is a minute", [atEnd(300)], {}, 60_000],
  [
    "plugins, skills, agents and clients are not counted",
    [atEnd(9, "pluginHook"), atEnd(9, "skill"), atEnd(9, "agent"), atEnd(9, "sdk")],
    {},
    1_500,
  ],
  ["another event is not counted", [{ ...atEnd(9), event: "Stop" }], {}, 1_500],
  ["the environment overrides it", [atEnd(9)], { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "250" }, 250],
  ["the environment is invalid", [], { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "soon" }, 1_500],
])("sessionEndBudget() when %s", (_, registrations, env, expected) => {
  expect(sessionEndBudget(registrations, env)).toBe(expected);
});
