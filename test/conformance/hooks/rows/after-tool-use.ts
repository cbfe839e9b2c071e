// PostToolUse, PostToolUseFailure and PostToolBatch: what comes after a call, and after all calls of a reply.

import { expect } from "bun:test";
import type { HookEvent } from "@keelson/protocol";
import {
  base,
  bash,
  DONE,
  exits,
  listens,
  nameOf,
  prints,
  RAN,
  reminder,
  rowsOf,
  says,
  script,
  TOUCH,
  TOUCHED,
  withReminder,
  type Row,
} from "../row.ts";

const after = rowsOf("PostToolUse");
const POST = nameOf("PostToolUse");
const heard = (texts: unknown) => ({ files: RAN, heard: [expect.anything(), [texts].flat()] });
const unchanged = heard(TOUCHED);
const blocking = (event: HookEvent, said: string, label = `${event}:Bash`) =>
  `${label} hook blocking error from command: "${nameOf(event)}": ${said}`;
const ended = { text: "", ends: "hook_stopped", stop: "tool_use", denials: [] };

const POST_TOOL_USE: readonly Row[] = [
  after("is told of the call and what came of it", listens, {
    ...unchanged,
    told: [
      {
        ...base("PostToolUse", "permission_mode", "effort"),
        tool_name: "Bash",
        tool_input: { command: "touch ran" },
        tool_response: expect.objectContaining({ stdout: "", stderr: "", interrupted: false, isImage: false }),
        tool_use_id: "call_1_1",
        duration_ms: 0,
      },
    ],
    notices: [],
  }),
  after("plain text does not reach the model", prints("hello"), { ...unchanged, notices: [] }),
  after("exit 1 changes nothing, and people are told", exits(1, "broken"), {
    ...unchanged,
    notices: [expect.stringContaining("exited with code 1: broken")],
  }),
  after("exit 2: the model reads stderr", exits(2, "lint first"), {
    ...heard(withReminder(TOUCHED, blocking("PostToolUse", `[${POST}]: lint first`))),
    result: expect.objectContaining({ text: "done", denials: [] }),
  }),
  after("exit 2 with half of a JSON", script(`printf '{"decision'; echo no >&2; exit 2`), {
    ...heard(withReminder(TOUCHED, blocking("PostToolUse", `[${POST}]: no`))),
  }),
  after("decision block: the model reads the reason", prints({ decision: "block", reason: "lint first" }), {
    ...heard(withReminder(TOUCHED, blocking("PostToolUse", "lint first"))),
  }),
  after("decision block with exit 1", prints({ decision: "block", reason: "lint first" }, { exit: 1 }), {
    ...heard(withReminder(TOUCHED, blocking("PostToolUse", "lint first"))),
  }),
  after("additionalContext", says("PostToolUse", { additionalContext: "formatted" }), {
    ...heard(withReminder(TOUCHED, "PostToolUse:Bash hook additional context: formatted")),
  }),
  after(
    "block and context together",
    prints({
      decision: "block",
      reason: "no",
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "why" },
    }),
    {
      ...heard(withReminder(TOUCHED, blocking("PostToolUse", "no"), "PostToolUse:Bash hook additional context: why")),
    },
  ),
  after(
    "updatedToolOutput is what the model reads",
    says("PostToolUse", { updatedToolOutput: { stdout: "changed", stderr: "", interrupted: false, isImage: false } }),
    {
      ...heard("result: changed"),
    },
  ),
  after(
    "updatedToolOutput that does not fit leaves the tool's own",
    says("PostToolUse", { updatedToolOutput: 7 }),
    unchanged,
  ),
  after(
    "updatedToolOutput with values of another kind leaves it too",
    says("PostToolUse", { updatedToolOutput: { stdout: 5 } }),
    unchanged,
  ),
  after("updatedMCPToolOutput is for MCP tools", says("PostToolUse", { updatedMCPToolOutput: "changed" }), unchanged),
  after("permissionDecision comes too late", says("PostToolUse", { permissionDecision: "deny" }), unchanged),
  after(
    "what names another event is not meant for this one",
    prints({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "x" } }),
    {
      ...unchanged,
      notices: [expect.stringContaining('"hookEventName" is not PostToolUse')],
    },
  ),
  after("continue: false ends the run", prints({ continue: false, stopReason: "seen enough" }), {
    files: RAN,
    heard: [expect.anything()],
    result: ended,
    notices: [expect.stringContaining("seen enough")],
    code: 0,
  }),
  after("systemMessage is for people", prints({ systemMessage: "formatted 3 files" }), {
    ...unchanged,
    notices: ["notice: PostToolUse:Bash says: formatted 3 files"],
  }),
  after("onFailure block tells the model", exits(3, "broken", { onFailure: "block" }), {
    ...heard(withReminder(TOUCHED, blocking("PostToolUse", `[${POST}]: broken`))),
  }),
  after("time over changes nothing", script("sleep 60", { timeout: 0.3 }), {
    ...unchanged,
    notices: [expect.stringContaining("took longer than 0.3 s")],
  }),
  after(
    "tells of what a file tool did",
    listens,
    {
      told: [
        expect.objectContaining({
          tool_name: "Write",
          tool_response: expect.objectContaining({ type: "create", filePath: "<project>/a.txt", content: "x" }),
        }),
      ],
    },
    {
      flags: ["--permission-mode", "acceptEdits"],
      says: [{ calls: [{ name: "Write", input: { file_path: "<project>/a.txt", content: "x" } }] }, DONE],
    },
  ),
  after("a call that was refused has no after", listens, { told: [] }, { settings: {} }),
];

const FAILS = {
  says: [{ calls: [bash("touch ran && exit 3")] }, DONE],
  settings: { permissions: { allow: ["Bash"] } },
};
const failing = rowsOf("PostToolUseFailure", FAILS);
const FAILED = "error: Exit code 3";
const failed = (texts: unknown) => ({ files: RAN, heard: [expect.anything(), [texts].flat()] });

const POST_TOOL_USE_FAILURE: readonly Row[] = [
  failing("is told of the call and how it failed", listens, {
    ...failed(FAILED),
    told: [
      {
        ...base("PostToolUseFailure", "permission_mode", "effort"),
        tool_name: "Bash",
        tool_input: { command: "touch ran && exit 3" },
        tool_use_id: "call_1_1",
        error: "Exit code 3",
        is_interrupt: false,
        duration_ms: 0,
      },
    ],
  }),
  failing("plain text does not reach the model", prints("hello"), failed(FAILED)),
  failing("additionalContext", says("PostToolUseFailure", { additionalContext: "try make" }), {
    ...failed(withReminder(FAILED, "PostToolUseFailure:Bash hook additional context: try make")),
  }),
  failing("exit 1 changes nothing", exits(1, "broken"), {
    ...failed(FAILED),
    notices: [expect.stringContaining("exited with code 1: broken")],
  }),
  failing("exit 2: the model reads stderr", exits(2, "try make"), {
    ...failed(withReminder(FAILED, blocking("PostToolUseFailure", `[${nameOf("PostToolUseFailure")}]: try make`))),
  }),
  failing("continue: false ends the run", prints({ continue: false }), { heard: [expect.anything()], result: ended }),
  failing("decision block is not honoured", prints({ decision: "block", reason: "no" }), failed(FAILED)),
  failing("it comes instead of PostToolUse", listens, { told: [] }, { hooks: { PostToolUse: [listens] } }),
  failing("a call that succeeded has none", listens, { told: [] }, { says: [{ calls: [TOUCH] }, DONE] }),
  failing(
    "a call that was refused did not fail",
    listens,
    { told: [] },
    { settings: {}, says: [{ calls: [TOUCH] }, DONE] },
  ),
];

const batch = rowsOf("PostToolBatch", {
  says: [{ calls: [TOUCH, bash("touch other && exit 3")] }, DONE],
  settings: { permissions: { allow: ["Bash"] } },
});
const both = [TOUCHED, FAILED];
const BOTH = { ran: "", other: "" };

const POST_TOOL_BATCH: readonly Row[] = [
  batch("is told of all calls as the model sees them", listens, {
    files: BOTH,
    heard: [expect.anything(), both],
    told: [
      {
        ...base("PostToolBatch", "permission_mode", "effort"),
        tool_calls: [
          {
            tool_name: "Bash",
            tool_input: { command: "touch ran" },
            tool_use_id: "call_1_1",
            tool_response: "(Bash completed with no output)",
          },
          {
            tool_name: "Bash",
            tool_input: { command: "touch other && exit 3" },
            tool_use_id: "call_1_2",
            tool_response: "Exit code 3",
          },
        ],
      },
    ],
  }),
  batch(
    "fires once for each reply with calls",
    script("echo x >> times"),
    { files: { ...BOTH, times: "x\nx\n" } },
    {
      says: [{ calls: [TOUCH, bash("touch other")] }, { calls: [TOUCH] }, DONE],
    },
  ),
  batch("plain text does not reach the model", prints("hello"), { heard: [expect.anything(), both] }),
  batch("exit 1 changes nothing", exits(1, "broken"), {
    heard: [expect.anything(), both],
    notices: [expect.stringContaining("exited with code 1: broken")],
  }),
  batch("additionalContext follows the results", says("PostToolBatch", { additionalContext: "all green" }), {
    heard: [expect.anything(), [...both, reminder("PostToolBatch hook additional context: all green")]],
  }),
  batch("exit 2 ends the run", exits(2, "enough"), {
    heard: [expect.anything()],
    result: expect.objectContaining({ ends: "hook_stopped" }),
    notices: [expect.stringContaining("enough")],
    code: 0,
  }),
  batch("decision block ends the run", prints({ decision: "block", reason: "enough" }), {
    heard: [expect.anything()],
    result: expect.objectContaining({ ends: "hook_stopped" }),
    notices: [expect.stringContaining("enough")],
  }),
  batch("continue: false ends the run", prints({ continue: false, stopReason: "enough" }), {
    heard: [expect.anything()],
    result: expect.objectContaining({ ends: "hook_stopped" }),
    notices: [expect.stringContaining("enough")],
  }),
];

export const AFTER_TOOL_USE: readonly Row[] = [...POST_TOOL_USE, ...POST_TOOL_USE_FAILURE, ...POST_TOOL_BATCH];
