import { expect, test } from "bun:test";
import type { ModelMessage } from "@keelson/protocol";
import { encodeEvent, type ConverseLimits } from "@keelson/testkit";
import { collect, continued, image, pdf, PDF } from "../../conformance/support.test-support.ts";
import { openThinking, sealThinking } from "../../thinking-envelope.ts";
import { DONE, LLAMA, NOVA, requestTo, startBedrock, TOOLS } from "../bedrock.test-support.ts";

const STREAM = { "content-type": "application/vnd.amazon.eventstream" };
const streamOf = (...events: (readonly [string, object])[]) => ({
  raw: { headers: STREAM, frames: events.map(([name, payload]) => encodeEvent(name, payload)) },
});
const delta = (contentBlockIndex: number, value: object) =>
  ["contentBlockDelta", { contentBlockIndex, delta: value }] as const;
const stop = (contentBlockIndex: number) => ["contentBlockStop", { contentBlockIndex }] as const;
const ended = (stopReason: string) => ["messageStop", { stopReason }] as const;
const usage = ["metadata", { usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } }] as const;
const called: readonly ModelMessage[] = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Read", input: { path: "a" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "x" }] },
];

test("marks for the cache become cache points, where the model has a cache", async () => {
  const mark = { type: "ephemeral", ttl: "1h" } as const;
  const request = (model: string) =>
    requestTo(model, {
      system: [{ type: "text", text: "be brief", cache_control: mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: mark }] }],
    });
  await using nova = await startBedrock([DONE], { cache: true });
  expect((await collect(nova.provider, request(NOVA))).error).toBeUndefined();
  const point = { cachePoint: { type: "default" } };
  expect(nova.server.requests[0]!.body).toMatchObject({
    system: [{ text: "be brief" }, point],
    messages: [{ role: "user", content: [{ text: "hi" }, point] }],
  });
  await using llama = await startBedrock([DONE]);
  expect((await collect(llama.provider, request(LLAMA))).error).toBeUndefined();
  expect(JSON.stringify(llama.server.requests[0]!.body)).not.toContain("cachePoint");
});

test("a request after calls names their tools, and says in words that none may be called", async () => {
  await using world = await startBedrock([DONE, DONE]);
  expect((await collect(world.provider, requestTo(LLAMA, { messages: called }))).error).toBeUndefined();
  const none = requestTo(LLAMA, { messages: called, tools: TOOLS, tool_choice: { type: "none" } });
  expect((await collect(world.provider, none)).error).toBeUndefined();
  for (const { body } of world.server.requests) {
    expect(body.toolConfig.tools.map((tool: any) => tool.toolSpec.name)).toEqual(["Read"]);
    expect(body.toolConfig.toolChoice).toBeUndefined();
    expect(body.system).toEqual([{ text: "Do not call tools in this reply; answer in text." }]);
  }
});

test("a model that refuses so much output is asked for what it allows, and not for more again", async () => {
  await using world = await startBedrock([DONE, DONE], { maxTokens: 8_192, traits: { maxTokens: 32_768 } });
  const request = { ...requestTo(LLAMA), max_tokens: 16_384 };
  for (let time = 0; time < 2; time++) expect((await collect(world.provider, request)).error).toBeUndefined();
  expect(world.server.problems).toHaveLength(1);
  expect(world.server.requests.map(({ body }) => body.inferenceConfig)).toEqual([
    { maxTokens: 8_192 },
    { maxTokens: 8_192 },
  ]);
});

test("the numbers of a prompt that is too long are no limit for later replies", async () => {
  const message =
    "This model's maximum context length is 8192 tokens. However, you requested 8900 tokens (900 in the messages, 8000 in max_tokens).";
  const refused = { raw: { status: 400, headers: { "x-amzn-errortype": "ValidationException" }, body: { message } } };
  await using world = await startBedrock([refused, DONE]);
  const request = { ...requestTo(LLAMA), max_tokens: 8_000 };
  expect((await collect(world.provider, request)).error).toMatchObject({ kind: "prompt_too_long" });
  expect((await collect(world.provider, request)).error).toBeUndefined();
  expect(world.server.requests.at(-1)!.body.inferenceConfig).toEqual({ maxTokens: 8_000 });
});

test("Nova is sent only the keys that it accepts at the root of a schema", async () => {
  await using world = await startBedrock([DONE, DONE]);
  for (const model of [NOVA, LLAMA])
    expect((await collect(world.provider, requestTo(model, { tools: TOOLS }))).error).toBeUndefined();
  const schemas = world.server.requests.map(({ body }) =>
    Object.keys(body.toolConfig.tools[0].toolSpec.inputSchema.json),
  );
  expect(schemas).toEqual([
    ["type", "properties"],
    ["type", "properties", "additionalProperties"],
  ]);
});

test("what references of a schema name is in place for Nova, which has no room for definitions", async () => {
  await using world = await startBedrock([DONE]);
  const input_schema = {
    type: "object",
    properties: { who: { $ref: "#/$defs/Person" } },
    required: ["who"],
    $defs: { Person: { type: "object", properties: { name: { type: "string" }, boss: { $ref: "#/$defs/Person" } } } },
  } as const;
  const tools = [{ name: "greet", description: "Greets", input_schema }];
  expect((await collect(world.provider, requestTo(NOVA, { tools }))).error).toBeUndefined();
  const { json } = world.server.requests[0]!.body.toolConfig.tools[0].toolSpec.inputSchema;
  expect(json).toMatchObject({
    type: "object",
    properties: { who: { type: "object", properties: { name: { type: "string" }, boss: { type: "object" } } } },
    required: ["who"],
  });
  expect(JSON.stringify(json)).not.toContain("$ref");
});

test("documents get names that the service accepts, each once, and a text beside them", async () => {
  await using world = await startBedrock([DONE]);
  const titled = (title: string) => ({ ...pdf, title }) as never;
  const messages: ModelMessage[] = [
    { role: "user", content: [titled("Größe_2024  (final).pdf"), titled("a"), titled("a"), pdf] },
    { role: "assistant", content: "ok" },
    { role: "user", content: [pdf, { type: "text", text: "and this?" }] },
  ];
  expect((await collect(world.provider, requestTo(NOVA, { messages }))).error).toBeUndefined();
  const content = world.server.requests[0]!.body.messages.flatMap((message: any) => message.content);
  expect(content.flatMap(({ document }: any) => (document ? [document.name] : []))).toEqual([
    "Gr e 2024 (final) pdf",
    "a",
    "a (2)",
    "Document",
    "Document (2)",
  ]);
  expect(content[0]).toEqual({ text: "See the document." });
});

test("a model that reads text only is told about pictures and documents, and so is the user", async () => {
  await using world = await startBedrock([DONE], { traits: { images: false, documents: false } });
  const messages: ModelMessage[] = [{ role: "user", content: [image, image, pdf] }];
  const reply = await collect(world.provider, requestTo(LLAMA, { messages }));
  expect(world.server.requests[0]!.parts.map((part) => "text" in part && part.text)).toEqual([
    "[picture not shown: this model reads text only]",
    "[picture not shown: this model reads text only]",
    "[document not shown: this model does not read documents]",
  ]);
  expect(reply.losses).toEqual([
    "This model reads text only, so it does not see pictures",
    "This model does not read documents, so it does not see them",
  ]);
});

test.each([
  ["streaming tools", { tools: TOOLS }, "converse"],
  ["tool choice", { tools: TOOLS, tool_choice: { type: "any" } }, "converse-stream"],
  ["system", { system: [{ type: "text", text: "be brief" }] }, "converse-stream"],
  ["output format", { output_config: { format: { type: "json_schema", schema: {} } } }, "converse-stream"],
] as const)("a model that does not support %s is asked without it, and remembered", async (lack, more, action) => {
  const lacks: ConverseLimits["lacks"] = [lack];
  await using world = await startBedrock([DONE, DONE], { lacks });
  for (let times = 0; times < 2; times++) {
    const reply = await collect(world.provider, requestTo(LLAMA, more));
    expect([reply.error, reply.blocks]).toEqual([undefined, [{ type: "text", text: "done" }]]);
  }
  expect(world.server.problems).toHaveLength(1);
  expect(world.server.requests.map(({ path }) => path.split("/").at(-1))).toEqual([action, action]);
  if (lack === "system") expect(world.server.requests[0]!.parts[0]).toEqual({ from: "user", text: "be brief" });
});

test("a format for the reply is passed on", async () => {
  await using world = await startBedrock([DONE]);
  const schema = { type: "object", properties: {} };
  await collect(
    world.provider,
    requestTo(NOVA, { output_config: { effort: "high", format: { type: "json_schema", schema } } }),
  );
  expect(world.server.requests[0]!.body.outputConfig).toEqual({
    textFormat: {
      type: "json_schema",
      structure: { jsonSchema: { name: "reply", schema: JSON.stringify(schema) } },
    },
  });
});

test("usage comes after the end of the message, and is waited for", async () => {
  await using world = await startBedrock([streamOf(delta(0, { text: "x" }), stop(0), ended("end_turn"), usage)]);
  const reply = await collect(world.provider, requestTo(LLAMA));
  expect(reply.problems).toEqual([]);
  expect(reply.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 });
  expect(reply.usage.estimated).toBeUndefined();
});

test.each([
  ["end_turn", "end_turn"],
  ["stop_sequence", "end_turn"],
  ["max_tokens", "max_tokens"],
  ["content_filtered", "refusal"],
  ["guardrail_intervened", "refusal"],
  ["model_context_window_exceeded", "model_context_window_exceeded"],
  ["something_new", "end_turn"],
])("the reason %s is %s", async (reason, expected) => {
  await using world = await startBedrock([streamOf(delta(0, { text: "x" }), stop(0), ended(reason), usage)]);
  expect((await collect(world.provider, requestTo(LLAMA))).stop).toBe(expected);
});

test("text and reasoning may follow each other under one index, and blocks may never end", async () => {
  const events = streamOf(
    delta(0, { reasoningContent: { text: "hmm" } }),
    delta(0, { reasoningContent: { signature: "sig-" } }),
    delta(0, { reasoningContent: { signature: "nature" } }),
    delta(0, { text: "" }),
    delta(0, { text: "so" }),
    ended("end_turn"),
    usage,
  );
  await using world = await startBedrock([events]);
  const reply = await collect(world.provider, requestTo(LLAMA));
  expect(reply.problems).toEqual([]);
  expect(reply.blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
  expect(openThinking(reply.blocks[0].signature)).toEqual({ api: "converse", model: LLAMA, signature: "sig-nature" });
});

test("redacted reasoning goes back as it came; reasoning without a signature does not", async () => {
  const events = streamOf(
    delta(0, { reasoningContent: { redactedContent: "state-1-0" } }),
    stop(0),
    delta(1, { reasoningContent: { text: "unsigned" } }),
    stop(1),
    ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t1", name: "Read" } } }],
    stop(2),
    ended("tool_use"),
    usage,
  );
  await using world = await startBedrock([{ blocks: [{ text: "gives state-1-0" }] }, events, DONE]);
  const request = requestTo(LLAMA, { tools: TOOLS });
  await collect(world.provider, request);
  const reply = await collect(world.provider, request);
  expect([reply.error, reply.stop, reply.blocks[2].input]).toEqual([undefined, "tool_use", {}]);
  const result = { type: "tool_result", tool_use_id: "t1", content: "x" } as const;
  expect((await collect(world.provider, continued(request, reply, [result]))).error).toBeUndefined();
  expect(world.server.requests[2]!.body.messages[1].content).toEqual([
    { reasoningContent: { redactedContent: "state-1-0" } },
    { toolUse: { toolUseId: "t1", name: "Read", input: {} } },
  ]);
});

test("reasoning of another model on Converse is left out", async () => {
  const signature = sealThinking({ api: "converse", model: NOVA, signature: "s" });
  await using world = await startBedrock([DONE]);
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "t", signature },
        { type: "text", text: "a" },
      ],
    },
    { role: "user", content: "go" },
  ];
  expect((await collect(world.provider, requestTo(LLAMA, { messages }))).error).toBeUndefined();
  expect(JSON.stringify(world.server.requests[0]!.body)).not.toContain("reasoning");
});

test("a call that the service could not read is asked for once more", async () => {
  const malformed = streamOf(delta(0, { text: "half" }), ended("malformed_tool_use"), usage);
  await using world = await startBedrock([malformed, DONE, malformed, malformed]);
  const first = await collect(world.provider, requestTo(LLAMA));
  const restart = first.events.findIndex((event) => event.type === "notice" && event.notice.type === "restart");
  expect(first.events.slice(0, restart).map(({ type }) => type)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
  ]);
  expect(first.blocks).toEqual([{ type: "text", text: "done" }]);
  const second = await collect(world.provider, requestTo(LLAMA));
  expect([second.error, second.blocks, second.stop]).toEqual([undefined, [{ type: "text", text: "half" }], "end_turn"]);
  expect(world.server.requests).toHaveLength(4);
});

test("a finished block before such a call is kept", async () => {
  const malformed = streamOf(delta(0, { text: "kept" }), stop(0), ended("malformed_model_output"), usage);
  await using world = await startBedrock([malformed]);
  const reply = await collect(world.provider, requestTo(LLAMA));
  expect([reply.blocks, reply.stop]).toEqual([[{ type: "text", text: "kept" }], "end_turn"]);
});

test("a conversation that is cut at both ends is made legal", async () => {
  await using world = await startBedrock([DONE]);
  const messages: ModelMessage[] = [
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "a", name: "Read", input: {} },
        { type: "tool_use", id: "b", name: "Read", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "gone", content: [{ type: "text", text: "late" }, pdf] },
        { type: "tool_result", tool_use_id: "b", content: "of b" },
      ],
    },
    { role: "user", content: "and" },
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "Read", input: {} }] },
  ];
  expect((await collect(world.provider, requestTo(LLAMA, { messages }))).error).toBeUndefined();
  const { parts } = world.server.requests[0]!;
  const lost = "The call was interrupted before it returned a result. It may or may not have taken effect.";
  expect(parts).toEqual([
    { from: "user", text: "The beginning of this conversation was lost." },
    { from: "assistant", call: { id: "a", name: "Read", input: {} } },
    { from: "assistant", call: { id: "b", name: "Read", input: {} } },
    { from: "tool", result: { id: "a", text: lost, isError: true } },
    { from: "tool", result: { id: "b", text: "of b", isError: false } },
    { from: "user", text: "The result of an earlier call:" },
    { from: "user", text: "late" },
    { from: "user", document: PDF },
    { from: "user", text: "and" },
    { from: "assistant", call: { id: "c", name: "Read", input: {} } },
    { from: "tool", result: { id: "c", text: lost, isError: true } },
  ]);
});

test("a request never asks for more than the model can write", async () => {
  await using world = await startBedrock([DONE], { traits: { maxTokens: 500 } });
  await collect(world.provider, requestTo(LLAMA));
  expect(world.server.requests[0]!.maxTokens).toBe(500);
});
