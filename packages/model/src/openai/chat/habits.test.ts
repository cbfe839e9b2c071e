// What is sent to which server, and what is learnt from refusals.

import { afterEach, expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import {
  startChatServer,
  type ChatServerOptions,
  type DialectScript,
  type DialectServer,
  type RawAnswer,
} from "@keelson/testkit";
import { anyTraits, bearerCredentials, collect, image, pdf } from "../../conformance/support.test-support.ts";
import type { DialectOptions, ModelTraits } from "../../dialect.ts";
import type { Server } from "../../http/server.ts";
import { sealThinking } from "../../thinking-envelope.ts";
import { chatDialect } from "../chat.ts";

const servers: DialectServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Setup extends ChatServerOptions {
  readonly server?: Partial<Server>;
  readonly path?: string;
  readonly traits?: Partial<ModelTraits>;
  readonly dialect?: Partial<DialectOptions>;
}

async function setUp(script: DialectScript, setup: Setup = {}) {
  const server = await startChatServer(script, setup);
  servers.push(server);
  const provider = chatDialect.provider(
    {
      provider: "local",
      baseUrl: server.url + (setup.path ?? "/v1"),
      addressFrom: "OPENAI_BASE_URL",
      credentials: bearerCredentials,
      ...setup.server,
    },
    { traits: () => ({ ...anyTraits, ...setup.traits }), ...setup.dialect },
  );
  return { server, provider };
}

const request: ModelRequest = {
  model: "some-model",
  max_tokens: 1_000,
  system: [{ type: "text", text: "be brief" }],
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  betas: [],
};
const done = { blocks: [{ text: "done" }] };
const raw = (...frames: string[]): RawAnswer => ({ raw: { headers: { "content-type": "text/event-stream" }, frames } });
const refusal = (message: string, status = 400): RawAnswer => ({ raw: { status, body: { error: { message } } } });
const body = (server: DialectServer, at = 0) => server.requests[at]!.body;

test("a plain request has the fields of every server and no others", async () => {
  const { server, provider } = await setUp([done], { dialect: { sessionId: "s" } });
  await collect(provider, { ...request, tool_choice: { type: "auto" }, metadata: { user_id: "u" } });
  expect(body(server)).toEqual({
    model: "some-model",
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
    ],
    tools: [
      {
        type: "function",
        function: { name: "Read", description: "reads", parameters: { type: "object", properties: {} } },
      },
    ],
    tool_choice: "auto",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1_000,
  });
  expect(server.requests[0]!.path).toBe("/v1/chat/completions");
});

test("a system message amid the conversation becomes a reminder", async () => {
  const { server, provider } = await setUp([done]);
  const system = { role: "system" as "user", content: "be careful" };
  await collect(provider, { ...request, messages: [...request.messages, system] });
  expect(body(server).messages.slice(1)).toEqual([
    { role: "user", content: "hi\n\n<system-reminder>\nbe careful\n</system-reminder>" },
  ]);
});

test("the vendor gets a cache key; its reasoning models get their own limit and effort", async () => {
  const { server, provider } = await setUp([done, done], {
    server: { provider: "openai" },
    traits: { reasons: true, efforts: ["minimal", "low", "medium", "high"] },
    dialect: { sessionId: "s" },
  });
  await collect(provider, { ...request, model: "gpt-5", output_config: { effort: "max" } });
  expect(body(server)).toMatchObject({
    max_completion_tokens: 1_000,
    reasoning_effort: "high",
    prompt_cache_key: "s",
  });
  await collect(provider, { ...request, model: "gpt-5", thinking: { type: "disabled" } });
  expect(body(server, 1)).toMatchObject({ reasoning_effort: "minimal" });
});

test("the limit is at most the model's own", async () => {
  const { server, provider } = await setUp([done], { traits: { maxTokens: 500 } });
  await collect(provider, request);
  expect(server.requests[0]!.maxTokens).toBe(500);
});

test("compat overrides what is assumed", async () => {
  const compat = { maxTokensField: "max_completion_tokens", developerRole: true, streamUsage: false } as const;
  const { server, provider } = await setUp([done], { dialect: { compat } });
  await collect(provider, request);
  expect(body(server)).toMatchObject({ max_completion_tokens: 1_000, messages: [{ role: "developer" }, {}] });
  expect(body(server).stream_options).toBeUndefined();
});

test("an optional parameter that is refused is left out, and stays out", async () => {
  const refuses = ["stream_options", "reasoning_effort", "parallel_tool_calls", "prompt_cache_key"];
  const { server, provider } = await setUp([done, done], {
    refuses,
    server: { provider: "openai" },
    traits: { efforts: ["low", "high"], reasons: true },
    dialect: { sessionId: "s" },
  });
  const full = {
    ...request,
    model: "o3",
    output_config: { effort: "low" },
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  };
  expect((await collect(provider, full)).error).toBeUndefined();
  expect(server.problems.length).toBe(refuses.length);
  expect((await collect(provider, full)).error).toBeUndefined();
  expect(server.problems.length).toBe(refuses.length);
  for (const field of refuses) expect(body(server, 1)[field]).toBeUndefined();
});

test.each(["max_tokens", "max_completion_tokens"])("a server without %s gets the other one", async (field) => {
  const other = field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const compat = { maxTokensField: field as "max_tokens" };
  const { server, provider } = await setUp([done], { refuses: [field], dialect: { compat } });
  expect((await collect(provider, request)).error).toBeUndefined();
  expect(body(server)[other]).toBe(1_000);
});

test("a server that knows neither limit gets none", async () => {
  const { server, provider } = await setUp([done], { refuses: ["max_tokens", "max_completion_tokens"] });
  expect((await collect(provider, request)).error).toBeUndefined();
  expect(server.requests[0]!.maxTokens).toBeUndefined();
});

test("a limit that is too large is lowered to what the server allows", async () => {
  const text =
    "max_tokens is too large: 1000. This model supports at most 400 completion tokens, whereas you provided 1000.";
  const { server, provider } = await setUp([refusal(text), done, done]);
  expect((await collect(provider, request)).error).toBeUndefined();
  await collect(provider, request);
  expect(server.requests.map(({ maxTokens }) => maxTokens)).toEqual([1_000, 400, 400]);
});

test("a server that counts the limit as part of the prompt gets a lower one, for this request only", async () => {
  const text =
    "This model's maximum context length is 4096 tokens. However, you requested 4400 tokens (3400 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.";
  const { server, provider } = await setUp([refusal(text), done, done]);
  expect((await collect(provider, request)).error).toBeUndefined();
  await collect(provider, request);
  expect(server.requests.map(({ maxTokens }) => maxTokens)).toEqual([1_000, 696, 1_000]);
});

test("a prompt that is too long by itself is not sent again", async () => {
  const text = "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.";
  const { server, provider } = await setUp([refusal(text), done]);
  expect((await collect(provider, request)).error?.kind).toBe("prompt_too_long");
  expect(server.requests.length).toBe(1);
});

test("an error that names no parameter is not sent again", async () => {
  const { server, provider } = await setUp([refusal("Something is wrong"), done]);
  expect((await collect(provider, request)).error).toMatchObject({
    kind: "invalid_request",
    message: "Something is wrong",
  });
  expect(server.requests.length).toBe(1);
});

test("the developer role is given up where it is unknown", async () => {
  const text = "Unexpected role: developer is not one of system, user, assistant, tool";
  const { server, provider } = await setUp([refusal(text), done], { dialect: { compat: { developerRole: true } } });
  expect((await collect(provider, request)).error).toBeUndefined();
  expect(server.requests.map((seen) => seen.body.messages[0].role)).toEqual(["developer", "system"]);
});

test("pictures that the server refuses are replaced by a note, and the user is told", async () => {
  const { server, provider } = await setUp([refusal("image input is not supported, you need the mmproj", 500), done]);
  const messages: ModelMessage[] = [{ role: "user", content: [{ type: "text", text: "look" }, image] }];
  const got = await collect(provider, { ...request, messages });
  expect(got.error).toBeUndefined();
  expect(got.losses).toEqual([expect.stringContaining("pictures")]);
  expect(server.requests[1]!.parts).toEqual([
    { from: "user", text: "look\n\n[picture not shown: this model reads text only]" },
  ]);
});

test("models that read text only get notes for pictures and files", async () => {
  const { server, provider } = await setUp([done], { traits: { images: false, documents: false } });
  const result: ContentBlock = { type: "tool_result", tool_use_id: "call_1", content: [image, pdf] };
  const messages: ModelMessage[] = [
    { role: "user", content: [image] },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "Read", input: {} }] },
    { role: "user", content: [result] },
  ];
  const got = await collect(provider, { ...request, messages });
  expect(got.losses.length).toBe(2);
  expect(body(server).messages.slice(1)).toEqual([
    { role: "user", content: "[picture not shown: this model reads text only]" },
    expect.objectContaining({ role: "assistant", content: null }),
    {
      role: "tool",
      tool_call_id: "call_1",
      content: "[picture not shown: this model reads text only]\n\n[PDF not shown: this model cannot read PDF files]",
    },
  ]);
});

test("pictures of results follow all results, each with its name", async () => {
  const { server, provider } = await setUp([done]);
  const call = (id: string): ContentBlock => ({ type: "tool_use", id, name: "Read", input: {} });
  const result = (id: string, ...content: ContentBlock[]): ContentBlock => ({
    type: "tool_result",
    tool_use_id: id,
    content,
  });
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [call("a"), call("b")] },
    {
      role: "user",
      content: [result("a", image), result("b", { type: "text", text: "two" }, pdf), { type: "text", text: "go on" }],
    },
  ];
  expect((await collect(provider, { ...request, messages })).error).toBeUndefined();
  expect(body(server).messages.slice(3)).toEqual([
    { role: "tool", tool_call_id: "a", content: "[Picture 1: see below]" },
    { role: "tool", tool_call_id: "b", content: "two\n\n[File 2: see below]" },
    {
      role: "user",
      content: [
        { type: "text", text: "Picture 1, from the result of Read:" },
        { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
        { type: "text", text: "File 2, from the result of Read:" },
        {
          type: "file",
          file: { filename: "document.pdf", file_data: expect.stringMatching(/^data:application\/pdf/) },
        },
        { type: "text", text: "go on" },
      ],
    },
  ]);
});

const thought = (text: string, model = "some-model"): ContentBlock => ({
  type: "thinking",
  thinking: text,
  signature: sealThinking({ api: "openai-chat", model }),
});

const loopOf = (model?: string): ModelMessage[] => [
  { role: "user", content: "one" },
  { role: "assistant", content: [thought("old", model), { type: "tool_use", id: "a", name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
  { role: "assistant", content: [thought("older", model), { type: "text", text: "so" }] },
  { role: "user", content: "two" },
  { role: "assistant", content: [thought("new", model), { type: "tool_use", id: "b", name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "b", content: "x" }] },
];
const loop = loopOf();
const V4 = "deepseek-v4-pro";

const thinkingIn = (server: DialectServer, at = 0) =>
  body(server, at).messages.flatMap(({ role, reasoning_content }: any) =>
    role === "assistant" ? [reasoning_content] : [],
  );

test("DeepSeek gets the thinking of every reply to a prompt that led to calls", async () => {
  const { server, provider } = await setUp([done], {
    thinking: "reasoning_content",
    keepsThinking: true,
    server: { provider: "deepseek" },
  });
  const messages: ModelMessage[] = [
    { role: "user", content: "zero" },
    { role: "assistant", content: [thought("no calls", V4), { type: "text", text: "so" }] },
    ...loopOf(V4),
  ];
  expect((await collect(provider, { ...request, model: V4, messages })).error).toBeUndefined();
  expect([server.problems, thinkingIn(server)]).toEqual([[], [undefined, "old", "older", "new"]]);
});

test("DeepSeek gets its thinking back also if a reminder follows the result", async () => {
  const { server, provider } = await setUp([done], {
    thinking: "reasoning_content",
    keepsThinking: true,
    server: { provider: "deepseek" },
  });
  const reminded: ModelMessage = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "b", content: "x" },
      { type: "text", text: "<system-reminder>look</system-reminder>" },
    ],
  };
  const messages = [...loopOf(V4).slice(0, -1), reminded];
  expect((await collect(provider, { ...request, model: V4, messages })).error).toBeUndefined();
  expect([server.problems, thinkingIn(server)]).toEqual([[], ["old", "older", "new"]]);
});

test("DeepSeek's thinking is turned off by a switch, and has levels otherwise", async () => {
  const { server, provider } = await setUp([done, done], {
    keepsThinking: true,
    server: { provider: "deepseek" },
    traits: { efforts: ["low", "high", "max"] },
  });
  const asked: Partial<ModelRequest>[] = [
    { thinking: { type: "disabled" }, output_config: { effort: "high" } },
    { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
  ];
  for (const more of asked) expect((await collect(provider, { ...request, ...more, model: V4 })).error).toBeUndefined();
  const sent = server.requests.map(({ body: { thinking, reasoning_effort } }) => [thinking, reasoning_effort]);
  expect([server.problems, sent]).toEqual([
    [],
    [
      [{ type: "disabled" }, undefined],
      [undefined, "low"],
    ],
  ]);
});

test("older models of DeepSeek get their thinking back within the tool loop, and only there", async () => {
  const { server, provider } = await setUp([done], { thinking: "reasoning_content", server: { provider: "deepseek" } });
  const model = "deepseek-reasoner";
  expect((await collect(provider, { ...request, model, messages: loopOf(model) })).error).toBeUndefined();
  expect([server.problems, thinkingIn(server)]).toEqual([[], [undefined, undefined, "new"]]);
});

test.each([
  [true, [expect.stringContaining("must be passed back")], ["old", "older", "new"]],
  [false, [expect.stringContaining("Missing reasoning_content")], [undefined, undefined, "new"]],
])("a server that misses thinking gets it from then on (always: %p)", async (keepsThinking, problems, sent) => {
  const { server, provider } = await setUp([done, done], { thinking: "reasoning_content", keepsThinking });
  for (const _ of [1, 2]) expect((await collect(provider, { ...request, messages: loop })).error).toBeUndefined();
  expect(server.problems).toEqual(problems);
  expect([thinkingIn(server), thinkingIn(server, 1)]).toEqual([sent, sent]);
});

test("a server that refuses thinking after the tool loop gets it only within", async () => {
  const { server, provider } = await setUp([done], { thinking: "reasoning_content", server: { provider: "deepseek" } });
  expect((await collect(provider, { ...request, model: V4, messages: loopOf(V4) })).error).toBeUndefined();
  expect(server.problems).toEqual([expect.stringContaining("must not be sent back")]);
  expect(thinkingIn(server)).toEqual([undefined, undefined, "new"]);
});

test("no other server gets thinking back", async () => {
  const { server, provider } = await setUp([done]);
  expect((await collect(provider, { ...request, messages: loop })).error).toBeUndefined();
  expect(JSON.stringify(body(server))).not.toContain("new");
});

test("OpenRouter gets details back whole, and marks of what to cache for Anthropic's models", async () => {
  const { server, provider } = await setUp([done], {
    thinking: "reasoning_details",
    server: { provider: "openrouter" },
  });
  const details = [
    { type: "reasoning.text", index: 0, text: "hm", signature: "sig" },
    { type: "reasoning.encrypted", index: 1, data: "xyz" },
  ];
  const model = "anthropic/claude-sonnet-4.5";
  const seal = (detail: object) => sealThinking({ api: "openai-chat", model, details: [detail] as never });
  const cache_control = { type: "ephemeral" as const };
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: seal(details[0]!) },
        { type: "text", text: "so" },
        { type: "thinking", thinking: "", signature: seal(details[1]!) },
        { type: "tool_use", id: "a", name: "Read", input: {} },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: "x", cache_control } as ContentBlock],
    },
  ];
  const system = [{ type: "text" as const, text: "be brief", cache_control }];
  expect((await collect(provider, { ...request, model, messages, system })).error).toBeUndefined();
  expect(body(server).messages).toEqual([
    { role: "system", content: [{ type: "text", text: "be brief", cache_control }] },
    { role: "user", content: "hi" },
    expect.objectContaining({ role: "assistant", content: "so", reasoning_details: details }),
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "x", cache_control }] },
  ]);
});

test("Mistral gets ids of nine letters and digits", async () => {
  const { server, provider } = await setUp([done], { server: { provider: "mistral" } });
  await collect(provider, { ...request, messages: loop });
  const [call] = server.requests[0]!.parts.flatMap((part) => ("call" in part ? [part.call] : []));
  expect(call!.id).toMatch(/^[a-zA-Z0-9]{9}$/);
});

test.each<[string, string, Record<string, string> | undefined, string]>([
  ["", "gpt-4o", { "api-version": "V" }, "/openai/deployments/gpt-4o/chat/completions?api-version=V"],
  ["/openai", "my own", undefined, "/openai/deployments/my%20own/chat/completions?api-version=2024-10-21"],
  ["/openai/deployments/d", "m", { "api-version": "V" }, "/openai/deployments/d/chat/completions?api-version=V"],
  ["/openai/v1", "m", undefined, "/openai/v1/chat/completions"],
])("Azure at %j is asked for %s", async (path, model, query, wanted) => {
  const { server, provider } = await setUp([done], {
    path,
    server: {
      provider: "azure",
      ...(query ? { query } : {}),
      credentials: { authorize: ({ headers }) => headers.set("api-key", "k"), secrets: () => ["k"] },
    },
  });
  expect((await collect(provider, { ...request, model })).error).toBeUndefined();
  expect(server.requests[0]!.path).toBe(wanted);
  expect(server.requests[0]!.headers["api-key"]).toBe("k");
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}`;

test.each<[string, RawAnswer]>([
  [
    "comments and CRLF",
    raw(
      ": OPENROUTER PROCESSING\r\n\r\n",
      `${chunk({ content: "x" })}\r\n\r\n`,
      `${chunk({}, "stop")}\r\n\r\n`,
      "data: [DONE]\r\n\r\n",
    ),
  ],
  ["no space after data:", raw(`${chunk({ content: "x" }, "stop").replace("data: ", "data:")}\n\n`, "data:[DONE]\n\n")],
  ["no end mark", raw(`${chunk({ content: "x" })}\n\n`, `${chunk({}, "stop")}\n\n`)],
  ["an end mark without an empty line", raw(`${chunk({ content: "x" })}\n\n`, "data: [DONE]")],
  ["no empty line at the end", raw(`${chunk({ content: "x" })}\n\n`, chunk({}, "stop"))],
  [
    "a connection that breaks after the reason",
    {
      raw: {
        headers: { "content-type": "text/event-stream" },
        frames: [`${chunk({ content: "x" })}\n\n`, `${chunk({}, "stop")}\n\n`],
        cut: true,
      },
    },
  ],
  [
    "a first chunk without choices",
    raw(
      `data: {"choices":[],"prompt_filter_results":[]}\n\n`,
      `${chunk({ content: "x" })}\n\n`,
      `${chunk({}, "stop")}\n\ndata: [DONE]\n\n`,
    ),
  ],
  [
    "a whole reply instead of a stream",
    { raw: { status: 200, body: { id: "c", choices: [{ message: { content: "x" }, finish_reason: "stop" }] } } },
  ],
  [
    "a whole reply that calls itself text",
    {
      raw: {
        headers: { "content-type": "text/plain" },
        frames: [" ", '\n{"choices":[{"message":{"content":"x"},', '"finish_reason":"stop"}]}'],
      },
    },
  ],
  [
    "events that call themselves JSON",
    { raw: { headers: { "content-type": "application/json" }, frames: [`\n${chunk({ content: "x" }, "stop")}\n\n`] } },
  ],
])("a stream with %s is complete", async (_, answer) => {
  const { provider } = await setUp([answer]);
  const got = await collect(provider, request);
  expect(got.error).toBeUndefined();
  expect(got.problems).toEqual([]);
  expect(got.blocks).toEqual([{ type: "text", text: "x" }]);
  expect(got.stop).toBe("end_turn");
});

test.each<[string, RawAnswer, object]>([
  [
    "a whole reply that is an error",
    { raw: { status: 200, body: { error: { message: "No", code: 429 } } } },
    { kind: "rate_limit", message: "No" },
  ],
  [
    "a web page",
    { raw: { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" } },
    { kind: "unknown", message: expect.stringContaining("check OPENAI_BASE_URL") },
  ],
  [
    "something else",
    { raw: { status: 200, body: { hello: "world" } } },
    { kind: "unknown", message: expect.stringContaining("does not answer like Chat Completions") },
  ],
  ["an event that is no JSON", raw("data: nonsense\n\n"), { kind: "stream_cut" }],
  ["nothing", raw(""), { kind: "stream_cut" }],
])("%s is an error", async (_, answer, error) => {
  const { provider } = await setUp([answer]);
  expect((await collect(provider, request)).error).toMatchObject(error);
});

const manyTools = Array.from({ length: 150 }, (_, at) => ({ ...request.tools[0]!, name: `tool_${at}` }));
const reminded: ModelMessage[] = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "tool_use", id: "abcdefghi", name: "Read", input: {} }] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "abcdefghi", content: "x" },
      { type: "text", text: "go on" },
    ],
  },
];

test.each<[string, Setup, Partial<ModelRequest>, object]>([
  [
    "long descriptions",
    { descriptionLength: 1_024 },
    { tools: [{ ...request.tools[0]!, description: "reads ".repeat(300) }] },
    { messages: [{ role: "system", content: expect.stringContaining("## Read\n\nreads reads") }, {}] },
  ],
  ["many tools", {}, { tools: manyTools }, { tools: expect.objectContaining({ length: 128 }) }],
  [
    "patterns that a grammar does not know",
    { grammar: true },
    {
      tools: [
        {
          ...request.tools[0]!,
          input_schema: {
            type: "object",
            properties: { a: { type: "string", pattern: "x" }, b: { $ref: "#/$defs/b" } },
            $defs: { b: { type: "object", properties: { c: { const: 1 } } } },
          },
        },
      ],
    },
    {
      tools: [
        {
          function: {
            parameters: {
              type: "object",
              properties: { a: { type: "string" }, b: { type: "object", properties: { c: { enum: [1] } } } },
            },
          },
        },
      ],
    },
  ],
  ["system messages", { noSystem: true }, {}, { messages: [{ role: "user", content: "be brief\n\nhi" }] }],
  [
    "a prompt after a result",
    { mistral: true },
    { messages: reminded },
    { messages: [{}, {}, {}, { role: "tool" }, { role: "assistant" }, { role: "user", content: "go on" }] },
  ],
])("a server that does not accept %s is asked in another way, from then on", async (_, setup, more, sent) => {
  const { server, provider } = await setUp([done, done], setup);
  for (let times = 0; times < 2; times++)
    expect((await collect(provider, { ...request, ...more })).error).toBeUndefined();
  expect(server.problems).toHaveLength(1);
  expect(body(server, 1)).toMatchObject(sent);
});

test("a parameter is recognized in camel case, and a choice of tools can be given up", async () => {
  const refusals = [
    refusal("Argument not supported on this model: reasoningEffort"),
    refusal("Thinking mode does not support this tool_choice"),
  ];
  const { server, provider } = await setUp([...refusals, done], { traits: { reasons: true, efforts: ["low"] } });
  const asked = { output_config: { effort: "low" }, tool_choice: { type: "any" }, model: "gpt-5" };
  expect((await collect(provider, { ...request, ...asked })).error).toBeUndefined();
  expect(Object.keys(body(server, 2))).not.toContain("reasoning_effort");
  expect(Object.keys(body(server, 2))).not.toContain("tool_choice");
});

test("Azure gets short descriptions from the start, and at most the tools that it accepts", async () => {
  const { server, provider } = await setUp([done], { server: { provider: "azure" }, descriptionLength: 1_024 });
  const tools = manyTools.map((tool) => ({ ...tool, description: "reads ".repeat(300) }));
  const { error, losses } = await collect(provider, { ...request, tools });
  expect(error).toBeUndefined();
  expect(losses).toEqual([expect.stringContaining("only the first")]);
  expect(server.problems).toEqual([]);
});
