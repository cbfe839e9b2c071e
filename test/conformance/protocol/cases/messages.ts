// What comes out while a run continues: each line, its fields, and the order of lines.

import { expect } from "bun:test";
import { bash, init, kindOf, kinds, ofKind, read, result, turn, write, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
/** Calls that run side by side end in any order. */
const resultOf = (seen: any, id: string) =>
  ofKind(seen, "user").find(({ message }) => message.content[0].tool_use_id === id);
const toolUseResults = (seen: any) => ofKind(seen, "user").map((line) => line.tool_use_result);
const streamTypes = (seen: any) => ofKind(seen, "stream_event").map(({ event }) => event.type);

export const MESSAGES: readonly Scenario[] = [
  {
    name: "a reply of thinking, text and two calls",
    options: { allowedTools: ["Bash"] },
    says: [{ thinking: "hm", text: "Looking.", calls: [bash("echo one"), bash("echo two")] }, { text: "done" }],
    steps: turn("go"),
    cases: [
      {
        name: "is a line for each block, and one for each result",
        see: (seen) => [...kinds(seen)].sort(),
        is: ["system/init", "system/thinking_tokens", ...Array(5).fill("assistant"), "user", "user", "result"].sort(),
      },
      {
        name: "guesses how much was thought while it is thought",
        see: (seen) => {
          const { estimated_tokens, estimated_tokens_delta } = ofKind(seen, "system/thinking_tokens")[0];
          return { estimated_tokens, estimated_tokens_delta };
        },
        is: { estimated_tokens: 1, estimated_tokens_delta: 1 },
      },
      {
        name: "comes in the order it was said",
        see: (seen) => ofKind(seen, "assistant").map(({ message }) => message.content.map(({ type }: any) => type)),
        is: [["thinking"], ["text"], ["tool_use"], ["tool_use"], ["text"]],
      },
      {
        name: "keeps one id for one reply",
        see: (seen) => ofKind(seen, "assistant").map(({ message }) => message.id),
        is: ["msg_1", "msg_1", "msg_1", "msg_1", "msg_2"],
      },
      {
        name: "has no reason to stop on any line",
        see: (seen) => ofKind(seen, "assistant").map(({ message }) => message.stop_reason),
        is: Array(5).fill(null),
      },
      {
        name: "has signed thoughts",
        see: (seen) => ofKind(seen, "assistant")[0].message.content[0],
        is: { type: "thinking", thinking: "hm", signature: "sig_1" },
      },
      {
        name: "is the main agent's",
        see: (seen) => [...ofKind(seen, "assistant"), ...ofKind(seen, "user")].map((line) => line.parent_tool_use_id),
        is: Array(7).fill(null),
      },
      {
        name: "has a message with model, role and usage",
        see: (seen) => ofKind(seen, "assistant")[1].message,
        is: expect.objectContaining({
          type: "message",
          role: "assistant",
          model: SONNET,
          content: [{ type: "text", text: "Looking." }],
          stop_sequence: null,
          usage: expect.objectContaining({ input_tokens: 100, output_tokens: 1 }),
        }),
      },
      {
        name: "gives each line an id of its own and the session's",
        see: ({ messages }) => [
          new Set(messages.map(({ uuid }) => uuid)).size === messages.length,
          new Set(messages.map(({ session_id }) => session_id)).size,
          messages.every(({ uuid }) => /^[0-9a-f-]{36}$/.test(uuid)),
        ],
        is: [true, 1, true],
      },
      {
        name: "has results one line each, whole",
        see: (seen) => resultOf(seen, "call_1_1"),
        is: expect.objectContaining({
          type: "user",
          message: {
            role: "user",
            content: [{ tool_use_id: "call_1_1", type: "tool_result", content: "one", is_error: false }],
          },
          parent_tool_use_id: null,
          session_id: UUID,
          uuid: UUID,
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          tool_use_result: {
            stdout: "one",
            stderr: "",
            interrupted: false,
            isImage: false,
            noOutputExpected: false,
          },
        }),
      },
      {
        name: "says who allowed the call",
        see: (seen) => resultOf(seen, "call_1_1").tool_result_meta,
        is: [
          {
            id: "call_1_1",
            permission_decision: { decision: "accept", source: "config", reason_type: "rule" },
          },
        ],
      },
      {
        name: "names the request of each line as the model's server does",
        see: (seen) => [...new Set(ofKind(seen, "assistant").map(({ request_id }) => request_id))],
        is: ["req_1", "req_2"],
      },
      {
        name: "ends with the time to the first reply and the place among the results",
        see: (seen) => result(seen),
        is: expect.objectContaining({
          ttft_ms: expect.any(Number),
          queued_turn_count: 0,
          result_index: 0,
          api_error_status: null,
        }),
      },
      { name: "counts each result as a turn", see: (seen) => result(seen).num_turns, is: 3 },
    ],
  },
  {
    name: "results of tools",
    files: { "a.txt": "alpha\n" },
    options: { permissionMode: "acceptEdits" },
    says: [
      { calls: [read("a.txt")] },
      { calls: [write("b.txt", "new\n")] },
      { calls: [read("missing.txt")] },
      { calls: [{ name: "NoSuchTool", input: {} }] },
      { text: "done" },
    ],
    steps: turn("go"),
    cases: [
      {
        name: "show a file that was read",
        see: (seen) => toolUseResults(seen)[0],
        is: expect.objectContaining({
          type: "text",
          file: expect.objectContaining({ filePath: "<project>/a.txt", content: "alpha\n" }),
        }),
      },
      {
        name: "show a file that was made",
        see: (seen) => toolUseResults(seen)[1],
        is: expect.objectContaining({ type: "create", filePath: "<project>/b.txt", content: "new\n" }),
      },
      {
        name: "are a text that begins with Error where it failed",
        see: (seen) => toolUseResults(seen)[2],
        is: expect.stringMatching(/^Error: /),
      },
      {
        name: "mark failures",
        see: (seen) => ofKind(seen, "user").map(({ message }) => message.content[0].is_error === true),
        is: [false, false, true, true],
      },
      {
        name: "name a tool nobody has",
        see: (seen) => ofKind(seen, "user")[3].message.content[0].content,
        is: expect.stringContaining("NoSuchTool"),
      },
      { name: "are carried out", see: ({ files }) => files["b.txt"], is: "new\n" },
    ],
  },
  {
    name: "partial messages",
    options: { includePartialMessages: true },
    says: [{ thinking: "hm", text: ["He", "llo"] }],
    steps: turn("hi"),
    cases: [
      {
        name: "begin with a status",
        see: (seen) => seen.messages.slice(0, 3).map((message) => [kindOf(message), message.status]),
        is: [
          ["system/init", undefined],
          ["system/status", "requesting"],
          ["stream_event", undefined],
        ],
      },
      {
        name: "are the model's own events",
        see: streamTypes,
        is: [
          "message_start",
          "content_block_start",
          "content_block_delta",
          "content_block_delta",
          "content_block_stop",
          "content_block_start",
          "content_block_delta",
          "content_block_delta",
          "content_block_stop",
          "message_delta",
          "message_stop",
        ],
      },
      {
        name: "have each block's line just before the event that ends it",
        see: (seen) =>
          seen.messages.flatMap((message, at) =>
            message.type === "assistant" ? [seen.messages[at + 1].event?.type] : [],
          ),
        is: ["content_block_stop", "content_block_stop"],
      },
      {
        name: "make the text, piece by piece",
        see: (seen) =>
          ofKind(seen, "stream_event")
            .map(({ event }) => event.delta?.text ?? "")
            .join("|")
            .replaceAll(/\|+/g, "|"),
        is: "|He|llo|",
      },
      {
        name: "have the fields clients need",
        see: (seen) => ofKind(seen, "stream_event")[1],
        is: expect.objectContaining({
          uuid: UUID,
          session_id: UUID,
          parent_tool_use_id: null,
          event: expect.any(Object),
        }),
      },
    ],
  },
  {
    name: "without partial messages",
    says: [{ text: ["He", "llo"] }],
    steps: turn("hi"),
    cases: [
      { name: "there are none", see: (seen) => [streamTypes(seen), ofKind(seen, "system/status")], is: [[], []] },
    ],
  },
  {
    name: "a model that is overloaded for a moment",
    says: [{ status: 529, headers: { "retry-after": "0" } }, { text: "now" }],
    steps: turn("hi"),
    cases: [
      {
        name: "is asked again, and the wait is told",
        see: (seen) => ofKind(seen, "system/api_retry"),
        is: [
          expect.objectContaining({
            attempt: 1,
            max_retries: 10,
            retry_delay_ms: expect.any(Number),
            error_status: 529,
            error: "overloaded",
          }),
        ],
      },
      { name: "answers in the end", see: (seen) => result(seen).result, is: "now" },
    ],
  },
  {
    name: "output of a tool beyond all measure",
    files: { "long.txt": `${"x".repeat(99)}\n`.repeat(30_000) },
    options: { allowedTools: ["Bash"] },
    says: [{ calls: [bash("cat long.txt")] }, { text: "long" }],
    steps: turn("go"),
    cases: [
      {
        name: "fits in lines of less than a megabyte",
        see: ({ messages }) => messages.every((message) => JSON.stringify(message).length < 1_000_000),
        is: true,
      },
      { name: "does not end the run", see: (seen) => result(seen).result, is: "long" },
    ],
  },
  {
    name: "the state of the session",
    only: "pipe",
    env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" },
    says: [{ text: "hello" }],
    steps: turn("hi"),
    cases: [
      { name: "is for hosts, never for the application", see: kinds, is: ["system/init", "assistant", "result"] },
    ],
  },
  {
    name: "a block of a kind nobody knows",
    says: [{ blocks: [{ type: "hologram", data: 7 } as never], text: "see" }],
    steps: turn("hi"),
    cases: [
      {
        name: "reaches the client as it came",
        see: (seen) => ofKind(seen, "assistant").map(({ message }) => message.content[0].type),
        is: ["text", "hologram"],
      },
    ],
  },
  {
    name: "a model that the server does not have",
    options: { fallbackModel: "claude-haiku-4-5" },
    says: [{ status: 404, message: `model: ${SONNET}` }, { text: "hello" }],
    steps: turn("hi"),
    cases: [
      { name: "is replaced by the fallback", see: (seen) => result(seen).result, is: "hello" },
      {
        name: "is named with its replacement",
        see: (seen) => ofKind(seen, "system/model_fallback"),
        is: [
          expect.objectContaining({
            trigger: "model_not_found",
            original_model: SONNET,
            fallback_model: "claude-haiku-4-5",
          }),
        ],
      },
    ],
  },
  {
    name: "betas that were asked for",
    options: { extraArgs: { betas: "context-1m-2025-08-07" } },
    says: [{ text: "hello" }],
    steps: turn("hi"),
    cases: [{ name: "are in init", see: (seen) => init(seen).betas, is: ["context-1m-2025-08-07"] }],
  },
];
