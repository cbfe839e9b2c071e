// The JSON a handler prints: what each event uses, and what it drops.

import { expect, test } from "bun:test";
import { HOOK_EVENTS, type HookEvent, type HookHandler, type JsonObject } from "@keelson/protocol";
import type { HookReply } from "./reply.ts";
import { exit, guard, reply, specific } from "./reply.test-support.ts";

const callback: HookHandler = { type: "callback", callbackId: "hook_0", client: "client-1" };
const read = (event: HookEvent, json: JsonObject, handler = guard, subject?: string) =>
  reply(event, exit(0, json), handler, subject);

test.each<[string, JsonObject, Partial<HookReply>]>([
  [
    "deny",
    specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }),
    { verdict: "deny", reason: "no" },
  ],
  [
    "ask",
    specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    { verdict: "ask", reason: "sure?" },
  ],
  ["allow", specific("PreToolUse", { permissionDecision: "allow" }), { verdict: "allow" }],
  ["defer", specific("PreToolUse", { permissionDecision: "defer" }), { verdict: "defer" }],
  ["a legacy block", { decision: "block", reason: "no" }, { verdict: "deny", reason: "no" }],
  ["a legacy approve", { decision: "approve", reason: "fine" }, { verdict: "allow", reason: "fine" }],
  [
    "a deny without a reason",
    { decision: "block" },
    { verdict: "deny", reason: "A hook refused this without giving a reason" },
  ],
  [
    "both forms at once: the stricter one applies",
    specific("PreToolUse", { permissionDecision: "allow" }, { decision: "block", reason: "no" }),
    { verdict: "deny", reason: "no" },
  ],
  ["a new input", specific("PreToolUse", { updatedInput: { command: "ls" } }), { input: { command: "ls" } }],
  ["a new input in the legacy form", { tool_input: { command: "ls" } }, { input: { command: "ls" } }],
  ["its own input echoed", { session_id: "s", tool_input: { command: "ls" } }, {}],
  [
    "context",
    specific("PreToolUse", { additionalContext: "look" }),
    { context: ["PreToolUse:Bash hook additional context: look"] },
  ],
  ["a stop with a reason", { continue: false, stopReason: "enough" }, { stop: "enough" }],
  ["a stop without a reason", { continue: false }, { stop: "" }],
  ["no end", { continue: true, stopReason: "enough" }, {}],
  ["a message for people", { systemMessage: "hello", suppressOutput: true }, { systemMessage: "hello" }],
  [
    "a bell and a title",
    { terminalSequence: "\x07\x1b]0;done\x07" },
    { fields: { terminalSequence: "\x07\x1b]0;done\x07" } },
  ],
  ["a sequence that writes to the clipboard", { terminalSequence: "\x1b]52;c;aGk=\x07" }, {}],
  ["a sequence that clears the screen", { terminalSequence: "\x1b[2J" }, {}],
  ["unknown fields", { colour: "red", hookSpecificOutput: { hookEventName: "PreToolUse", shape: 1 } }, {}],
  [
    "output that does not name its event",
    { hookSpecificOutput: { permissionDecision: "deny" } },
    { verdict: "deny", reason: "A hook refused this without giving a reason" },
  ],
  ["nulls", { decision: null, hookSpecificOutput: null, systemMessage: null }, {}],
])("PreToolUse reads %s", (_, json, expected) => {
  expect(read("PreToolUse", json)).toEqual({ context: [], ...expected });
});

test("output for another event is reported and the call proceeds; fields outside it still apply", () => {
  const deny = { permissionDecision: "deny", permissionDecisionReason: "no" };
  expect(read("PreToolUse", specific("PostToolUse", deny))).toEqual({
    context: [],
    problem: '"guard.sh" answered, but "hookEventName" is not PreToolUse',
  });
  expect(read("PreToolUse", specific("Stop", deny, { decision: "block", reason: "really" })).reason).toBe("really");
});

test("a field of the wrong type is dropped on its own", () => {
  const json = specific(
    "PreToolUse",
    { permissionDecision: "maybe", updatedInput: [1], additionalContext: "look" },
    { continue: "no", systemMessage: 3 },
  );
  expect(read("PreToolUse", json)).toEqual({
    context: ["PreToolUse:Bash hook additional context: look"],
    problem:
      '"guard.sh" answered, but "permissionDecision" is not one of deny, defer, ask, allow and "updatedInput" is not an object and "continue" is not true or false and "systemMessage" is not a string',
  });
});

test("a client's callback is named as the cause of its deny", () => {
  const texts = [
    specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }),
    { decision: "block", reason: "no" },
  ].map((json) => read("PreToolUse", json, callback).reason);
  expect(texts).toEqual(["PreToolUse:Bash hook error: no", "PreToolUse:Bash hook error: no"]);
  expect(read("Stop", { decision: "block", reason: "more" }, callback).reason).toBe("more");
});

test.each<[HookEvent, string]>([
  ["PostToolUse", 'PostToolUse:Bash hook blocking error from command: "guard.sh": no'],
  ["UserPromptSubmit", "no"],
  ["UserPromptExpansion", "no"],
  ["Stop", "no"],
  ["SubagentStop", "no"],
  ["PreCompact", "no"],
  ["TaskCreated", "TaskCreated hook feedback:\nno"],
  ["ConfigChange", "no"],
])('%s listens to decision "block", and to no approval', (event, reason) => {
  expect(read(event, { decision: "block", reason: "no" })).toEqual({ verdict: "deny", reason, context: [] });
  expect(read(event, { decision: "approve", reason: "yes" })).toEqual({ context: [] });
});

test("outputs that an event ignores are dropped, and named for the hook's author", () => {
  const everything = (event: HookEvent) =>
    specific(
      event,
      {
        permissionDecision: "deny",
        additionalContext: "x",
        updatedInput: {},
        updatedToolOutput: 1,
        decision: { behavior: "deny" },
        sessionTitle: "x",
        watchPaths: ["/x"],
        displayContent: "x",
        retry: true,
        action: "accept",
      },
      { decision: "block", continue: false },
    );
  const silent = HOOK_EVENTS.filter((event) => {
    const { ignored: _, ...rest } = read(event, everything(event));
    return Object.keys(rest).length === 1 && rest.context.length === 0;
  });
  expect(silent.toSorted()).toEqual([
    "DirectoryAdded",
    "InstructionsLoaded",
    "PostCompact",
    "SessionEnd",
    "StopFailure",
    "WorktreeRemove",
  ]);
  expect(read("SessionEnd", { continue: false, decision: "block" })).toEqual({
    context: [],
    ignored: ["continue", "decision"],
  });
  expect(read("PostToolUse", everything("PostToolUse")).ignored).toEqual([
    "permissionDecision",
    "updatedInput",
    "decision",
    "sessionTitle",
    "watchPaths",
    "displayContent",
    "retry",
    "action",
  ]);
});

test.each<[HookEvent, JsonObject, Record<string, unknown> | undefined]>([
  [
    "SessionStart",
    { initialUserMessage: "go", sessionTitle: "t", watchPaths: ["/a"], reloadSkills: true },
    { initialUserMessage: "go", sessionTitle: "t", watchPaths: ["/a"], reloadSkills: true },
  ],
  [
    "UserPromptSubmit",
    { sessionTitle: "t", suppressOriginalPrompt: true },
    { sessionTitle: "t", suppressOriginalPrompt: true },
  ],
  ["MessageDisplay", { displayContent: "" }, { displayContent: "" }],
  ["PermissionDenied", { retry: true }, { retry: true }],
  ["Elicitation", { action: "accept", content: { name: "Bob" } }, { action: "accept", content: { name: "Bob" } }],
  ["ElicitationResult", { action: "shrug" }, undefined],
  ["CwdChanged", { watchPaths: ["/a", 1] }, undefined],
  ["FileChanged", { watchPaths: [] }, { watchPaths: [] }],
  ["PostToolUse", { classifierContext: "c" }, { classifierContext: "c" }],
])("%s accepts %j", (event, given, fields) => {
  expect(read(event, specific(event, given)).fields).toEqual(fields);
});

test("context names the event, and the tool if there is one", () => {
  const texts = (["PostToolUse", "SessionStart", "SubagentStart", "Stop", "Setup", "PostToolBatch"] as const).map(
    (event) => read(event, specific(event, { additionalContext: "x" })).context,
  );
  expect(texts).toEqual([
    ["PostToolUse:Bash hook additional context: x"],
    ["SessionStart hook additional context: x"],
    ["SubagentStart hook additional context: x"],
    ["Stop hook additional context: x"],
    ["Setup hook additional context: x"],
    ["PostToolBatch hook additional context: x"],
  ]);
});

test("a tool's output can be replaced; the MCP form works only for MCP tools", () => {
  const output = (json: JsonObject, tool: string) =>
    read("PostToolUse", specific("PostToolUse", json), guard, tool).output;
  expect(output({ updatedToolOutput: { stdout: "x" } }, "Bash")).toEqual({ stdout: "x" });
  expect(output({ updatedToolOutput: "" }, "Bash")).toBe("");
  expect(output({ updatedMCPToolOutput: "x" }, "Bash")).toBe(undefined);
  expect(output({ updatedMCPToolOutput: "x" }, "mcp__a__b")).toBe("x");
  expect(output({ updatedMCPToolOutput: "x", updatedToolOutput: "y" }, "mcp__a__b")).toBe("y");
});

test("PreModelSwitch can deny, ask and allow, but not defer", () => {
  const verdicts = ["deny", "ask", "allow", "defer"].map(
    (permissionDecision) => read("PreModelSwitch", specific("PreModelSwitch", { permissionDecision })).verdict,
  );
  expect(verdicts).toEqual(["deny", "ask", "allow", undefined]);
});

const rule = {
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "ls" }],
  behavior: "allow",
  destination: "session",
};

test.each<[string, JsonObject, HookReply["permission"]]>([
  ["yes", { behavior: "allow" }, { behavior: "allow" }],
  [
    "allow with another input and a rule",
    { behavior: "allow", updatedInput: { command: "ls" }, updatedPermissions: [rule] },
    { behavior: "allow", updatedInput: { command: "ls" }, updatedPermissions: [rule as never] },
  ],
  [
    "no",
    { behavior: "deny", message: "not today", interrupt: true },
    { behavior: "deny", message: "not today", interrupt: true },
  ],
  ["deny with invalid fields", { behavior: "deny", message: 3, interrupt: "yes" }, { behavior: "deny" }],
  ["neither", { behavior: "maybe" }, undefined],
  ["allow with an invalid input", { behavior: "allow", updatedInput: "ls" }, undefined],
  [
    "allow with updates of which one is valid",
    {
      behavior: "allow",
      updatedPermissions: [
        { type: "setMode", mode: "godMode", destination: "session" },
        { type: "setMode", mode: "acceptEdits", destination: "session" },
        { type: "addRules", rules: [{}], behavior: "allow", destination: "session" },
        { type: "addDirectories", directories: ["/x"], destination: "the moon" },
        null,
      ],
    },
    { behavior: "allow", updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
  ],
])("a PermissionRequest answer: %s", (_, decision, expected) => {
  expect(read("PermissionRequest", specific("PermissionRequest", { decision })).permission).toEqual(expected);
});
