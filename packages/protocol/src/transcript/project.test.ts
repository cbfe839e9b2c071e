import { expect, test } from "bun:test";
import type { ChainEntry, Envelope } from "./entry.ts";
import { COMMAND_SOURCE, isCommandRecord, project, projectPrompt } from "./project.ts";

const envelope: Envelope = {
  parentUuid: null,
  isSidechain: false,
  uuid: "u",
  timestamp: "2026-01-01T00:00:00.000Z",
  userType: "external",
  entrypoint: "sdk-cli",
  cwd: "/p",
  sessionId: "s",
  version: "2.1.325",
  gitBranch: "main",
};

const reply: ChainEntry & { type: "assistant" } = {
  ...envelope,
  type: "assistant",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "x",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2 },
  },
};

test("a reply has its stop reason in the file, not on the wire", () => {
  expect(project(reply)).toEqual({
    type: "assistant",
    message: { ...reply.message, stop_reason: null },
    parent_tool_use_id: null,
    session_id: "s",
    uuid: "u",
    timestamp: envelope.timestamp,
  });
});

test("an API error is flagged for clients", () => {
  const failed = { ...reply, isApiErrorMessage: true, error: "rate_limit", apiErrorStatus: 429, apiErrorType: "t" };
  expect(project(failed)).toMatchObject({
    message: { stop_reason: "end_turn" },
    error: "rate_limit",
    is_api_error_message: true,
    api_error_status: 429,
    api_error_type: "t",
  });
});

test("a tool result has the tool's output and how it was permitted", () => {
  const entry: ChainEntry = {
    ...envelope,
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
    toolUseResult: { stdout: "x" },
    permissionDecision: { decision: "reject", source: "config", reasonType: "mode" },
    toolDenialKind: "permission-rule",
  };
  expect(project(entry, "parent")).toEqual({
    type: "user",
    message: entry.message,
    parent_tool_use_id: "parent",
    session_id: "s",
    uuid: "u",
    timestamp: envelope.timestamp,
    tool_use_result: { stdout: "x" },
    tool_result_meta: [
      {
        id: "t",
        non_execution_kind: "permission-rule",
        permission_decision: { decision: "reject", source: "config", reason_type: "mode" },
      },
    ],
  });
});

test("text that Keelson adds as the user is marked; prompts and attachments are not shown", () => {
  const ours: ChainEntry = { ...envelope, type: "user", isMeta: true, message: { role: "user", content: "go on" } };
  const typed: ChainEntry & { type: "user" } = { ...ours, isMeta: undefined, promptSource: "sdk" };
  expect(project(ours)).toMatchObject({ type: "user", isSynthetic: true });
  expect(project(typed)).toBeUndefined();
  expect(projectPrompt(typed)).toMatchObject({ type: "user", isReplay: true, message: { content: "go on" } });
  expect(project({ ...envelope, type: "attachment", attachment: { type: "date" } })).toBeUndefined();
});

const typed = (content: string, more: object = {}): ChainEntry => ({
  ...envelope,
  type: "user",
  message: { role: "user", content },
  ...more,
});

test("the output of a command is a reply that no model made", () => {
  const content = "<local-command-stdout>a </local-command-stdout> b</local-command-stdout>";
  expect(project({ ...envelope, type: "system", subtype: "local_command", content })).toMatchObject({
    type: "assistant",
    uuid: "u",
    message: {
      model: "<synthetic>",
      stop_reason: "end_turn",
      content: [{ type: "text", text: "a </local-command-stdout> b" }],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  });
});

test("clients get the output of a command that changed the conversation, and the model does not", () => {
  const entry = typed("<local-command-stdout>Compacted</local-command-stdout>");
  expect(isCommandRecord(entry)).toBe(true);
  expect(project(entry)).toMatchObject({
    type: "user",
    isReplay: true,
    message: { content: "<local-command-stdout>Compacted</local-command-stdout>" },
  });
});

test("a compaction has the names of the wire", () => {
  const compactMetadata = { trigger: "auto", preTokens: 3, preservedSegment: { headUuid: "h" } };
  const subject = { type: "system", subtype: "compact_boundary", logicalParentUuid: "p", compactMetadata };
  expect(project({ ...typed("x"), ...subject } as never) as unknown).toEqual({
    type: "system",
    subtype: "compact_boundary",
    session_id: "s",
    uuid: "u",
    compact_metadata: { trigger: "auto", pre_tokens: 3, preserved_segment: { head_uuid: "h" } },
    logical_parent_uuid: "p",
  });
});

test.each([
  ["the warning before a command", typed("<local-command-caveat>x</local-command-caveat>", { isMeta: true }), true],
  ["a command", typed("<command-name>/usage</command-name>", { promptSource: COMMAND_SOURCE }), true],
  ["a command that another program recorded", typed("<command-name>/usage</command-name>"), true],
  ["the same text, typed", typed("<local-command-stdout>x</local-command-stdout>", { promptSource: "sdk" }), false],
  ["a skill", typed("<command-message>x</command-message>\n<command-name>/x</command-name>"), false],
  ["a prompt", typed("/usage", { promptSource: "sdk" }), false],
])("whether %s is the record of a command", (_, entry, is) => {
  expect(isCommandRecord(entry)).toBe(is);
  if (is) expect(project(entry)).toBeUndefined();
});
