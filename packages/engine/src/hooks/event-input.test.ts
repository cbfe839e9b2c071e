import { expect, test } from "bun:test";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import { hookInput, eventLabel, matcherSubject, type HookBase } from "./event-input.ts";

const base: HookBase = {
  session_id: "sid",
  transcript_path: "/t.jsonl",
  cwd: "/repo",
  prompt_id: "p1",
  permission_mode: "default",
  effort: { level: "medium" },
};

test("hookInput() writes the fields in the reference's order, whatever order they came in", () => {
  const own = { tool_use_id: "toolu_1", tool_input: { command: "ls" }, tool_name: "Bash" };
  expect(JSON.stringify(hookInput("PreToolUse", base, own))).toBe(
    '{"session_id":"sid","transcript_path":"/t.jsonl","cwd":"/repo","prompt_id":"p1","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}',
  );
});

test("inside a subagent, its id and type come before the effort", () => {
  const inner = { ...base, agent_id: "a1", agent_type: "Explore" };
  expect(Object.keys(hookInput("Stop", inner, { stop_hook_active: false }))).toEqual([
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "effort",
    "hook_event_name",
    "stop_hook_active",
  ]);
});

test.each<[HookEvent, JsonObject, string[]]>([
  [
    "SessionStart",
    { source: "startup", model: "m", tool_name: "x" },
    ["prompt_id", "hook_event_name", "source", "model"],
  ],
  ["UserPromptSubmit", { prompt: "hi" }, ["prompt_id", "permission_mode", "hook_event_name", "prompt"]],
  ["StopFailure", { error: "unknown" }, ["prompt_id", "effort", "hook_event_name", "error"]],
  [
    "PostToolUse",
    { duration_ms: 3, tool_response: {}, tool_use_id: "t", tool_input: {}, tool_name: "Bash" },
    [
      "prompt_id",
      "permission_mode",
      "effort",
      "hook_event_name",
      "tool_name",
      "tool_input",
      "tool_response",
      "tool_use_id",
      "duration_ms",
    ],
  ],
  [
    "PreCompact",
    { trigger: "auto", custom_instructions: null },
    ["prompt_id", "hook_event_name", "trigger", "custom_instructions"],
  ],
  [
    "PermissionRequest",
    { tool_name: "Bash", tool_input: {}, tool_use_id: "t" },
    ["prompt_id", "permission_mode", "hook_event_name", "tool_name", "tool_input"],
  ],
  ["SubagentStart", { agent_id: "a", agent_type: "b" }, ["prompt_id", "hook_event_name", "agent_id", "agent_type"]],
])("%s has its own fields and no others", (event, own, expected) => {
  expect(Object.keys(hookInput(event, base, own))).toEqual(["session_id", "transcript_path", "cwd", ...expected]);
});

test.each<[HookEvent, JsonObject, string | undefined, string]>([
  ["PreToolUse", { tool_name: "Bash" }, "Bash", "PreToolUse:Bash"],
  ["SessionStart", { source: "startup" }, "startup", "SessionStart:startup"],
  ["SessionEnd", { reason: "other" }, "other", "SessionEnd:other"],
  ["Setup", { trigger: "init" }, "init", "Setup:init"],
  ["Notification", { notification_type: "idle" }, "idle", "Notification:idle"],
  ["StopFailure", { error: "unknown" }, "unknown", "StopFailure:unknown"],
  ["SubagentStop", { agent_type: "Explore" }, "Explore", "SubagentStop"],
  ["PreCompact", { trigger: "manual" }, "manual", "PreCompact:manual"],
  ["Elicitation", { mcp_server_name: "srv" }, "srv", "Elicitation:srv"],
  ["ConfigChange", { source: "skills" }, "skills", "ConfigChange:skills"],
  ["InstructionsLoaded", { load_reason: "include" }, "include", "InstructionsLoaded:include"],
  ["DirectoryAdded", { source: "slash_command" }, "slash_command", "DirectoryAdded:slash_command"],
  ["UserPromptExpansion", { command_name: "deploy" }, "deploy", "UserPromptExpansion"],
  ["FileChanged", { file_path: "/a/b/.env" }, ".env", "FileChanged:.env"],
  ["FileChanged", { file_path: "C:\\a\\.env" }, ".env", "FileChanged:.env"],
  ["Stop", { stop_hook_active: true }, undefined, "Stop"],
  ["PreToolUse", {}, undefined, "PreToolUse"],
  ["PreToolUse", { tool_name: 3 }, undefined, "PreToolUse"],
])("%s with %j has the subject %j and the label %s", (event, input, subject, label) => {
  expect([matcherSubject(event, input), eventLabel(event, input)]).toEqual([subject, label]);
});
