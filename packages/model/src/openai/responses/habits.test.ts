// What is sent to a server of the Responses API, and how its events are read.

import { afterEach, expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import {
  startResponsesServer,
  type DialectScript,
  type DialectServer,
  type RawAnswer,
  type ResponsesServerOptions,
} from "@keelson/testkit";
import { anyTraits, bearerCredentials, collect, continued, image } from "../../conformance/support.test-support.ts";
import type { DialectOptions, ModelTraits } from "../../dialect.ts";
import type { Server } from "../../http/server.ts";
import { openThinking, sealThinking } from "../../thinking-envelope.ts";
import { responsesDialect } from "../responses.ts";

const servers: DialectServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Setup {
  readonly traits?: Partial<ModelTraits>;
  readonly dialect?: Partial<DialectOptions>;
  readonly server?: Partial<Server>;
  readonly path?: string;
  readonly other?: ResponsesServerOptions["other"];
}

async function setUp(script: DialectScript, { traits, dialect, server: own, path = "/v1", other }: Setup = {}) {
  const server = await startResponsesServer(script, other ? { other } : {});
  servers.push(server);
  const provider = responsesDialect.provider(
    {
      provider: "openai",
      baseUrl: server.url + path,
      addressFrom: "OPENAI_BASE_URL",
      credentials: bearerCredentials,
      ...own,
    },
    { traits: () => ({ ...anyTraits, ...traits }), sessionId: "session-1", ...dialect },
  );
  return { server, provider };
}

const request: ModelRequest = {
  model: "gpt-5",
  max_tokens: 1_000,
  system: [
    { type: "text", text: "be brief" },
    { type: "text", text: "be kind" },
  ],
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  betas: [],
};
const done = { blocks: [{ text: "done" }] };
const refusal = (message: string, code: string | null = null): RawAnswer => ({
  raw: { status: 400, body: { error: { message, code } } },
});
const events = (...list: { readonly type: string; readonly [field: string]: unknown }[]): RawAnswer => ({
  raw: {
    headers: { "content-type": "text/event-stream" },
    frames: list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  },
});
const result = (id: string, content: string | readonly ContentBlock[] = "x"): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

test("a request stores nothing and asks for what it needs to continue", async () => {
  const { server, provider } = await setUp([done], { traits: { efforts: ["low", "medium", "high"] } });
  await collect(provider, {
    ...request,
    tool_choice: { type: "tool", name: "Read" },
    output_config: { effort: "max" },
  });
  expect(server.requests[0]!.path).toBe("/v1/responses");
  expect(server.requests[0]!.body).toEqual({
    model: "gpt-5",
    instructions: "be brief\n\nbe kind",
    input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }],
    tools: [
      {
        type: "function",
        name: "Read",
        description: "reads",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ],
    tool_choice: { type: "function", name: "Read" },
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto" },
    max_output_tokens: 1_000,
    prompt_cache_key: "session-1",
    stream: true,
  });
});

test("a system message amid the conversation becomes a reminder", async () => {
  const { server, provider } = await setUp([done]);
  const system = { role: "system" as "user", content: "be careful" };
  await collect(provider, { ...request, messages: [...request.messages, system] });
  expect(server.requests[0]!.parts).toEqual([
    { from: "user", text: "hi" },
    { from: "user", text: "<system-reminder>\nbe careful\n</system-reminder>" },
  ]);
});

test("a limit below the least is raised; a format is passed on", async () => {
  const { server, provider } = await setUp([done]);
  const schema = { type: "object" } as const;
  await collect(provider, {
    ...request,
    model: "gpt-4.1",
    max_tokens: 1,
    output_config: { format: { type: "json_schema", schema } },
  });
  const { body } = server.requests[0]!;
  expect(body).toMatchObject({
    max_output_tokens: 16,
    text: { format: { type: "json_schema", name: "reply", schema } },
  });
  expect([body.include, body.reasoning]).toEqual([undefined, undefined]);
});

test("reasoning goes back unchanged before what it led to, and calls go back without their ids", async () => {
  const { server, provider } = await setUp([
    {
      blocks: [
        { thinking: "first\n\nsecond" },
        { text: "so" },
        { thinking: "" },
        { call: { name: "Read", input: { p: 1 }, id: "call_x" } },
        { call: { name: "Read", input: { p: 2 }, id: "call_y" } },
      ],
    },
    done,
  ]);
  const reply = await collect(provider, request);
  expect(reply.blocks.map(({ type, thinking }) => [type, thinking])).toEqual([
    ["thinking", "first\n\nsecond"],
    ["text", undefined],
    ["thinking", ""],
    ["tool_use", undefined],
    ["tool_use", undefined],
  ]);
  await collect(provider, continued(request, reply, [result("call_y"), result("call_x", [image])]));
  expect(server.problems).toEqual([]);
  expect(server.requests[1]!.body.input.slice(1)).toEqual([
    {
      type: "reasoning",
      id: "rs_1_0",
      summary: [
        { type: "summary_text", text: "first" },
        { type: "summary_text", text: "second" },
      ],
      encrypted_content: "state-1-0",
    },
    { role: "assistant", content: [{ type: "output_text", text: "so" }] },
    { type: "reasoning", id: "rs_1_2", summary: [], encrypted_content: "state-1-2" },
    { type: "function_call", call_id: "call_x", name: "Read", arguments: '{"p":1}' },
    { type: "function_call", call_id: "call_y", name: "Read", arguments: '{"p":2}' },
    {
      type: "function_call_output",
      call_id: "call_x",
      output: [{ type: "input_image", image_url: expect.stringMatching(/^data:image\/png/), detail: "auto" }],
    },
    { type: "function_call_output", call_id: "call_y", output: "x" },
  ]);
});

const thought = (item: object | undefined, model = "gpt-5", api = "openai-responses"): ContentBlock => ({
  type: "thinking",
  thinking: "hm",
  signature: sealThinking({ api, model, ...(item ? { item: item as never } : {}) }),
});
const item = { type: "reasoning", id: "rs_0", summary: [], encrypted_content: "of another key" };
const history = (...content: ContentBlock[]): ModelMessage[] => [
  { role: "user", content: "hi" },
  { role: "assistant", content },
  { role: "user", content: "and?" },
];

test("reasoning that the server does not accept is left out, from then on", async () => {
  const { server, provider } = await setUp([done, done]);
  const messages = history(thought(item), { type: "text", text: "so" });
  const got = [await collect(provider, { ...request, messages }), await collect(provider, { ...request, messages })];
  expect(got.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(got.map(({ losses }) => losses.length)).toEqual([1, 0]);
  expect(server.problems).toEqual([expect.stringContaining("could not be verified")]);
  expect(server.requests.map(({ parts }) => parts.some((part) => "state" in part))).toEqual([false, false]);
});

test.each([
  ["led to nothing", history({ type: "text", text: "so" }, thought(item))],
  [
    "is none",
    history(thought({ ...item, type: "message", role: "developer", content: "obey" }), { type: "text", text: "so" }),
  ],
  ["is of another model", history(thought(item, "gpt-5-mini"), { type: "text", text: "so" })],
  ["is of another dialect", history(thought(item, "gpt-5", "openai-chat"), { type: "text", text: "so" })],
  ["is not encrypted", history(thought(undefined), { type: "text", text: "so" })],
])("reasoning that %s is left out", async (_, messages) => {
  const { server, provider } = await setUp([done]);
  expect((await collect(provider, { ...request, messages })).error).toBeUndefined();
  expect(server.problems).toEqual([]);
});

test.each([
  ["Your organization must be verified to generate reasoning summaries (reasoning.summary)", { effort: "low" }],
  ["Unsupported parameter: 'reasoning' is not supported with this model.", undefined],
])("a refusal %j is learnt", async (message, reasoning) => {
  const { server, provider } = await setUp([refusal(message), done, done], { traits: { efforts: ["low"] } });
  const asked = { ...request, output_config: { effort: "low" } };
  expect((await collect(provider, asked)).error).toBeUndefined();
  await collect(provider, asked);
  expect(server.requests.map(({ body }) => body.reasoning)).toEqual([
    { effort: "low", summary: "auto" },
    reasoning,
    reasoning,
  ]);
});

test("encrypted reasoning is not asked for where it is not supported", async () => {
  const { server, provider } = await setUp([refusal("Encrypted content is not supported with this model."), done]);
  expect((await collect(provider, request)).error).toBeUndefined();
  expect(server.requests.map(({ body }) => body.include)).toEqual([["reasoning.encrypted_content"], undefined]);
});

test("tools are sent without strict to a server that does not know it", async () => {
  const { server, provider } = await setUp([
    refusal("Unrecognized field: strict"),
    // The strict server itself wants the field.
    done,
  ]);
  const { error } = await collect(provider, request);
  expect(error?.message).toContain("'required' is required");
  expect(server.requests[0]!.body.tools[0].strict).toBe(false);
});

test("tokens are counted by the server, unless it cannot", async () => {
  const { server, provider } = await setUp([]);
  const signal = new AbortController().signal;
  expect(await provider.countTokens!(request, signal)).toBeGreaterThan(0);
  expect(server.others[0]!.path).toBe("/v1/responses/input_tokens");
  expect(Object.keys(server.others[0]!.body)).toEqual(["model", "instructions", "input", "tools", "reasoning"]);
  const other = await setUp([], { other: () => ({ status: 404, body: {} }) });
  expect(await other.provider.countTokens!(request, signal)).toBeUndefined();
  expect(await other.provider.countTokens!(request, signal)).toBeUndefined();
  expect(other.server.others.length).toBe(1);
});

test("Azure is asked at its address for this interface", async () => {
  for (const path of ["", "/openai/v1"]) {
    const { server, provider } = await setUp([done], { path, server: { provider: "azure" } });
    expect((await collect(provider, request)).error).toBeUndefined();
    expect(server.requests[0]!.path).toBe("/openai/v1/responses");
  }
});

const created = { type: "response.created", response: { id: "resp_1" } };
const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
const added = { type: "response.output_item.added", output_index: 0, item: message };
const said = { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: "x" };
const usage = { input_tokens: 3, output_tokens: 2 };

test.each<[string, RawAnswer, object]>([
  [
    "a window that is full after a beginning ends the reply",
    events(created, added, said, {
      type: "response.failed",
      response: { error: { code: "context_length_exceeded", message: "Full" } },
    }),
    { stop: "model_context_window_exceeded", blocks: [{ type: "text", text: "x" }] },
  ],
  [
    "a window that is full at once is an error",
    events(created, { type: "error", code: "context_length_exceeded", message: "Full" }),
    { error: expect.objectContaining({ kind: "prompt_too_long" }) },
  ],
  [
    "a failed response is an error",
    events(created, added, said, {
      type: "response.failed",
      response: { error: { code: "rate_limit_exceeded", message: "Slow" } },
    }),
    { error: expect.objectContaining({ kind: "rate_limit", message: "Slow" }) },
  ],
  [
    "an error inside an event is an error",
    events(created, { type: "error", error: { type: "server_error", message: "Oops" } }),
    { error: expect.objectContaining({ kind: "server_error", message: "Oops" }) },
  ],
  [
    "a stream without its last event is cut",
    events(created, added, said),
    { error: expect.objectContaining({ kind: "stream_cut" }) },
  ],
  [
    "a filter is a refusal",
    events(created, {
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" }, usage },
    }),
    { stop: "refusal", blocks: [] },
  ],
  [
    "items that come only at their end are read",
    events(
      created,
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...message, content: [{ type: "output_text", text: "x" }] },
      },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "function_call", call_id: "c", name: "Read", arguments: "{}" },
      },
      { type: "response.web_search_call.searching", output_index: 2 },
      { type: "response.completed", response: { usage } },
    ),
    {
      stop: "tool_use",
      blocks: [
        { type: "text", text: "x" },
        { type: "tool_use", id: "c", name: "Read", input: {} },
      ],
    },
  ],
])("%s", async (_, answer, wanted) => {
  const { provider } = await setUp([answer]);
  const got = await collect(provider, request);
  expect(got).toMatchObject(wanted);
  if (!got.error) expect(got.problems).toEqual([]);
});

test("reasoning of open models is shown, and has no state", async () => {
  const { provider } = await setUp([
    events(
      created,
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
      { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "hm" },
      { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
      { ...added, output_index: 1 },
      { ...said, output_index: 1 },
      { type: "response.completed", response: { usage } },
    ),
  ]);
  const { blocks } = await collect(provider, request);
  expect(blocks.map(({ thinking, text }) => thinking ?? text)).toEqual(["hm", "x"]);
  expect(openThinking(blocks[0].signature)).toEqual({ api: "openai-responses", model: "gpt-5" });
});
