// Logs everything the agent does, and denies what house rules forbid.
//   AUDIT_LOG=audit.jsonl bun examples/sdk/audit-hooks.ts "run the tests"

import { appendFile } from "node:fs/promises";
import process from "node:process";
import { query, type HookCallback, type HookInput, type Options } from "@keelson/sdk";

const log = process.env["AUDIT_LOG"] ?? "audit.jsonl";

const record: HookCallback = async (input) => {
  const line = { time: new Date().toISOString(), session: input.session_id, event: input.hook_event_name };
  await appendFile(log, `${JSON.stringify({ ...line, ...details(input) })}\n`, { mode: 0o600 });
  return {};
};

function details(input: HookInput): Record<string, unknown> {
  switch (input.hook_event_name) {
    case "UserPromptSubmit":
      return { prompt: input.prompt };
    case "PreToolUse":
      return { call: input.tool_use_id, tool: input.tool_name, input: input.tool_input };
    case "PostToolUse":
      return { call: input.tool_use_id, ms: input.duration_ms };
    case "PostToolUseFailure":
      return { call: input.tool_use_id, error: input.error };
    case "Stop":
      return { said: input.last_assistant_message };
    default:
      return {};
  }
}

const houseRules: HookCallback = async (input) => {
  if (input.hook_event_name !== "PreToolUse") return {};
  const { command = "" } = input.tool_input as { command?: string };
  if (!/\bgit\s+push\b/.test(command)) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "People do the pushing: leave the commit and say that it is ready",
    },
  };
};

const options: Options = {
  allowedTools: ["Bash"],
  hooks: {
    UserPromptSubmit: [{ hooks: [record] }],
    // A call that cannot be logged does not run. All hooks of an event run at once; one "deny" is enough.
    PreToolUse: [
      { hooks: [record], onFailure: "block" },
      { matcher: "Bash", hooks: [houseRules], onFailure: "block" },
    ],
    PostToolUse: [{ hooks: [record] }],
    PostToolUseFailure: [{ hooks: [record] }],
    Stop: [{ hooks: [record] }],
  },
};

for await (const message of query({ prompt: process.argv[2] ?? "What is here?", options })) {
  if (message.type === "result" && message.subtype === "success") console.log(message.result);
}
