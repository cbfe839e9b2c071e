// How runs end: every kind of result, its fields, and what becomes of the program.

import { expect } from "bun:test";
import { bash, ofKind, read, result, results, toldOf, turn, type Case, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const SCHEMA = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
const structured = (input: object) => ({ calls: [{ name: "StructuredOutput", input: input as never }] });

/** An error result is the last word of the program, and what the SDK throws. */
const thrown = (message: unknown): readonly Case[] => [
  { name: "ends the program with 1", only: "pipe", see: ({ end }) => end.code, is: 1 },
  {
    name: "is thrown after it was shown",
    only: "sdk",
    see: ({ end }) => end.error,
    is: { name: "ResultError", errorClass: "error_result", message },
  },
];
const essence = (seen: any) => {
  const { subtype, is_error, result: text, errors, terminal_reason, num_turns } = result(seen);
  return { subtype, is_error, text, errors, terminal_reason, num_turns };
};

const PROMPT_ID = "11111111-0000-4000-8000-000000000001";

export const RESULTS: readonly Scenario[] = [
  {
    name: "success",
    says: [{ text: "Hello there" }],
    steps: turn("hi"),
    cases: [
      {
        name: "is whole",
        see: result,
        is: expect.objectContaining({
          type: "result",
          subtype: "success",
          is_error: false,
          duration_ms: expect.any(Number),
          duration_api_ms: expect.any(Number),
          num_turns: 1,
          result: "Hello there",
          stop_reason: "end_turn",
          session_id: expect.any(String),
          total_cost_usd: expect.any(Number),
          permission_denials: [],
          terminal_reason: "completed",
          uuid: expect.any(String),
        }),
      },
      {
        name: "has the usage of the run",
        see: (seen) => result(seen).usage,
        is: expect.objectContaining({
          input_tokens: 100,
          output_tokens: 20,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        }),
      },
      {
        name: "has the usage of each model",
        see: (seen) => result(seen).modelUsage,
        is: {
          [SONNET]: expect.objectContaining({
            inputTokens: 100,
            outputTokens: 20,
            cacheReadInputTokens: 0,
            cacheCreationInputTokens: 0,
            webSearchRequests: 0,
            costUSD: expect.any(Number),
            contextWindow: expect.any(Number),
            maxOutputTokens: expect.any(Number),
          }),
        },
      },
      { name: "has no errors", see: (seen) => "errors" in result(seen), is: false },
      { name: "ends the program with 0", only: "pipe", see: ({ end }) => end.code, is: 0 },
    ],
  },
  {
    name: "error_max_turns",
    options: { maxTurns: 1 },
    files: { a: "x" },
    says: [{ calls: [read("a")] }],
    steps: turn("go"),
    cases: [
      {
        name: "says how many there were",
        see: essence,
        is: {
          subtype: "error_max_turns",
          is_error: true,
          errors: ["Reached maximum number of turns (1)"],
          terminal_reason: "max_turns",
          num_turns: 2,
        },
      },
      { name: "has no result text", see: (seen) => "result" in result(seen), is: false },
      ...thrown("Claude Code returned an error result: Reached maximum number of turns (1)"),
    ],
  },
  {
    name: "error_max_budget_usd",
    options: { maxBudgetUsd: 0.0001 },
    files: { a: "x" },
    says: [{ calls: [read("a")] }],
    steps: turn("go"),
    cases: [
      {
        name: "says how much there was",
        see: essence,
        is: expect.objectContaining({
          subtype: "error_max_budget_usd",
          is_error: true,
          errors: ["Reached maximum budget ($0.0001)"],
          terminal_reason: "budget_exhausted",
        }),
      },
      ...thrown("Claude Code returned an error result: Reached maximum budget ($0.0001)"),
    ],
  },
  {
    name: "error_during_execution",
    says: [{ hold: "never", text: "no" }],
    steps: [
      { say: "go" },
      { untilModel: 1 },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "is the end of what was interrupted",
        see: essence,
        is: expect.objectContaining({
          subtype: "error_during_execution",
          is_error: true,
          errors: [
            "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null",
            "The run was interrupted",
          ],
          terminal_reason: "aborted_streaming",
        }),
      },
      {
        name: "comes after a line that says so",
        see: (seen) => ofKind(seen, "user").map(({ message }) => message.content),
        is: [[{ type: "text", text: "[Request interrupted by user]" }]],
      },
      {
        name: "comes after the answer to the interrupt",
        only: "pipe",
        see: ({ order }) => order.slice(-3),
        is: ["reply interrupt 1", "user", "result"],
      },
      {
        name: "names what still waits",
        about: { subtype: "interrupt" },
        see: ({ replies }) => replies["stop"],
        is: { subtype: "success", response: { still_queued: [] } },
      },
      ...thrown(expect.stringContaining("Claude Code returned an error result:")),
    ],
  },
  {
    name: "an interrupt while a tool runs",
    options: { allowedTools: ["Bash"] },
    says: [{ calls: [bash("echo begun; sleep 60")] }],
    steps: [
      { say: "go", more: { uuid: PROMPT_ID } },
      { until: { type: "assistant" } },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [
      { name: "has a reason of its own", see: (seen) => essence(seen).terminal_reason, is: "aborted_tools" },
      {
        name: "rejects the call that ran",
        see: (seen) => {
          const { message, tool_use_result, tool_result_meta } = ofKind(seen, "user")[0];
          const [{ content, is_error }] = message.content;
          return { content, is_error, tool_use_result, tool_result_meta };
        },
        is: {
          content: expect.stringMatching(/^The user doesn't want to proceed with this tool use\./),
          is_error: true,
          tool_use_result: "User rejected tool use",
          tool_result_meta: [{ id: "call_1_1", non_execution_kind: "user-rejected" }],
        },
      },
      {
        name: "cancels the prompt",
        only: "pipe",
        see: (seen) => ofKind(seen, "command_lifecycle").map(({ state }) => state),
        is: ["queued", "started", "cancelled"],
      },
      {
        name: "has a marker of its own",
        see: (seen) => ofKind(seen, "user").at(-1).message.content,
        is: [{ type: "text", text: "[Request interrupted by user for tool use]" }],
      },
    ],
  },
  {
    name: "error_max_structured_output_retries",
    options: { outputFormat: { type: "json_schema", schema: SCHEMA } },
    says: Array(5).fill(structured({ colour: 7 })),
    steps: turn("which?"),
    cases: [
      {
        name: "is the end of five answers that do not fit",
        see: essence,
        is: expect.objectContaining({
          subtype: "error_max_structured_output_retries",
          is_error: true,
          errors: expect.any(Array),
          terminal_reason: "structured_output_retry_exhausted",
        }),
      },
      {
        name: "was preceded by what did not fit",
        see: (seen) => toldOf(seen, 2),
        is: [expect.stringMatching(/^error: [^]*colour/)],
      },
      ...thrown(expect.stringContaining("Claude Code returned an error result:")),
    ],
  },
  {
    name: "structured output",
    options: { outputFormat: { type: "json_schema", schema: SCHEMA } },
    says: [structured({}), structured({ colour: "red" })],
    steps: turn("which?"),
    cases: [
      {
        name: "is in the result, as value and as text",
        see: (seen) => {
          const { subtype, structured_output, result: text, stop_reason } = result(seen);
          return { subtype, structured_output, text, stop_reason };
        },
        is: {
          subtype: "success",
          structured_output: { colour: "red" },
          text: '{"colour":"red"}',
          stop_reason: "tool_use",
        },
      },
      {
        name: "is asked for by a tool of that schema",
        see: ({ requests }) => requests[0].tools.find(({ name }: any) => name === "StructuredOutput").input_schema,
        is: expect.objectContaining(SCHEMA),
      },
    ],
  },
  {
    name: "structured output the model forgot",
    options: { outputFormat: { type: "json_schema", schema: SCHEMA } },
    says: [{ text: "red" }, structured({ colour: "red" })],
    steps: turn("which?"),
    cases: [
      {
        name: "is asked for once more, by a line nobody typed",
        see: (seen) => ofKind(seen, "user").filter(({ isSynthetic }) => isSynthetic).length,
        is: 1,
      },
      { name: "is in the result", see: (seen) => result(seen).structured_output, is: { colour: "red" } },
    ],
  },
  {
    name: "an API that refuses the request",
    says: [{ status: 400, message: "scripted failure" }],
    steps: turn("hi"),
    cases: [
      {
        name: "is a result that is an error although it is called success",
        see: (seen) => {
          const { subtype, is_error, result: text, api_error_status, terminal_reason } = result(seen);
          return { subtype, is_error, text, api_error_status, terminal_reason };
        },
        is: {
          subtype: "success",
          is_error: true,
          text: expect.stringMatching(/^API Error: 400 .*scripted failure/),
          api_error_status: 400,
          terminal_reason: "api_error",
        },
      },
      {
        name: "is said by nobody's model",
        see: (seen) => ofKind(seen, "assistant").at(-1),
        is: expect.objectContaining({
          is_api_error_message: true,
          api_error_status: 400,
          error: expect.any(String),
          message: expect.objectContaining({
            model: "<synthetic>",
            role: "assistant",
            stop_reason: "stop_sequence",
            content: [{ type: "text", text: expect.stringMatching(/^API Error: 400/) }],
          }),
        }),
      },
      ...thrown(expect.stringMatching(/^Claude Code returned an error result: API Error: 400/)),
    ],
  },
  {
    name: "an API that does not know the key",
    says: [{ status: 401 }],
    steps: turn("hi"),
    cases: [
      {
        name: "is a kind of error clients can tell",
        see: (seen) => ofKind(seen, "assistant").at(-1).error,
        is: "authentication_failed",
      },
      { name: "is not asked again", see: ({ requests }) => requests.length, is: 1 },
    ],
  },
  {
    name: "an error and then a success",
    says: [{ status: 400 }, { text: "better" }],
    steps: [...turn("one"), ...turn("two")],
    cases: [
      { name: "are two results", see: (seen) => results(seen).map(({ is_error }) => is_error), is: [true, false] },
      { name: "leave the session in order", see: ({ end }) => [end.code ?? 0, end.error], is: [0, undefined] },
    ],
  },
  {
    name: "denials",
    says: [{ calls: [bash("touch a")] }, { text: "then not" }],
    steps: turn("go"),
    cases: [
      {
        name: "are listed in the result",
        see: (seen) => result(seen).permission_denials,
        is: [{ tool_name: "Bash", tool_use_id: "call_1_1", tool_input: { command: "touch a", description: "x" } }],
      },
      {
        name: "without anybody to ask are told on a line",
        see: (seen) => ofKind(seen, "system/permission_denied"),
        is: [expect.objectContaining({ tool_name: "Bash", tool_use_id: "call_1_1", message: expect.any(String) })],
      },
      { name: "do not happen", see: ({ files }) => files, is: {} },
    ],
  },
  {
    name: "a reply that was cut at its longest",
    says: [{ text: "first half", stopReason: "max_tokens" }, { text: "second half" }],
    steps: turn("go"),
    cases: [
      { name: "is asked to go on", see: ({ requests }) => requests.length, is: 2 },
      { name: "ends well", see: (seen) => result(seen).subtype, is: "success" },
    ],
  },
];
