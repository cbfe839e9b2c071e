import { expect, test } from "bun:test";
import { scriptedModel, testEngine, type TestEngine, type TestEngineOptions } from "@keelson/testkit";
import { textOf, type ChainSubject, type ModelMessage, type NewEntry, type PromptMessage } from "@keelson/protocol";
import { Conversation } from "../turn/conversation.ts";
import { ToolError } from "../errors.ts";
import type { Limits, ModelProvider } from "../ports.ts";
import { run } from "./run.ts";
import { object, string } from "../schema/schema.ts";
import { structuredOutputTool } from "../turn/structured.ts";
import { defineTool, type Tool } from "../tool/tool.ts";

const prompt = (content: string): PromptMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
});

const typed = (text: string): NewEntry => ({
  type: "user",
  uuid: text,
  message: { role: "user", content: [{ type: "text", text }] },
});

const echo: Tool = defineTool({
  name: "Echo",
  description: "Says it back",
  input: object({ text: string() }),
  parallelSafe: true,
  access: () => ({ kind: "none" }),
  run: async ({ text }) => ({ said: text }),
  show: ({ said }) => said,
});

const failing: Tool = defineTool({
  name: "Fail",
  description: "Cannot",
  input: object({}),
  access: () => ({ kind: "none" }),
  run: async () => {
    throw new ToolError("It did not work");
  },
  show: () => "",
});

async function play(model: ModelProvider, limits: Limits = {}, options: TestEngineOptions = {}) {
  const there: TestEngine = testEngine(model, { tools: [echo, failing], ...options });
  const conversation = new Conversation();
  const end = await run(prompt("go"), "default", conversation, there.ports, limits);
  return { end, conversation, ...there };
}

/** Checks that every call is answered right after its reply, and nothing else is. */
function problems(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message, index) => {
    const blocks = typeof message.content === "string" ? [] : message.content;
    const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [(block as { id: string }).id] : []));
    const next = messages[index + 1]?.content;
    const answers = (typeof next === "object" ? next : []).flatMap((block) =>
      block.type === "tool_result" ? [(block as { tool_use_id: string }).tool_use_id] : [],
    );
    return message.role === "assistant" && calls.join() !== answers.join() ? [`${calls} answered by ${answers}`] : [];
  });
}

const resultsOf = (entries: readonly ChainSubject[]) =>
  entries.flatMap((entry) =>
    entry.type === "user" && typeof entry.message.content !== "string"
      ? entry.message.content.filter((block) => block.type === "tool_result")
      : [],
  );

test("a tool's result goes back to the model, which then finishes", async () => {
  const model = scriptedModel({ text: "Looking", calls: [{ name: "Echo", input: { text: "hi" } }] }, { text: "done" });
  const { end, conversation } = await play(model);

  expect(end).toMatchObject({ reason: "completed", text: "done", numTurns: 2, stopReason: "end_turn", denials: [] });
  expect(model.requests[1]!.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Looking" },
        { type: "tool_use", id: "call_1_1", name: "Echo", input: { text: "hi" } },
      ],
      reply: { model: "scripted" },
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1_1", content: "hi", is_error: false }] },
  ]);
  expect(problems(conversation.messages)).toEqual([]);
});

test("each finished block is its own entry, and results are linked to the entry of their call", async () => {
  const calls = [
    { name: "Echo", input: { text: "a" } },
    { name: "Echo", input: { text: "b" } },
  ];
  const { entries, end } = await play(scriptedModel({ thinking: "hm", text: "two", calls }, { text: "ok" }));

  const shape = entries.map((entry) => [
    entry.type,
    entry.type === "assistant" ? [entry.message.content[0]!.type, entry.message.stop_reason] : entry.parentUuid,
  ]);
  const [first, second] = entries.filter(
    (entry) => entry.type === "assistant" && entry.message.content[0]!.type === "tool_use",
  );
  expect(shape).toEqual([
    ["user", undefined],
    ["assistant", ["thinking", null]],
    ["assistant", ["text", null]],
    ["assistant", ["tool_use", null]],
    ["user", first!.uuid],
    ["assistant", ["tool_use", "tool_use"]],
    ["user", second!.uuid],
    ["assistant", ["text", "end_turn"]],
  ]);
  // The blocks of a reply form one chain, whatever was recorded between them.
  expect(second!.parentUuid).toBe(first!.uuid);
  expect(end.numTurns).toBe(3);
});

test("a client that gets deltas sees a status before each request", async () => {
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "done" });
  const { signals } = await play(model, {}, { partial: true });
  const kinds = signals.map((signal) => {
    return signal.type === "stream_event" ? signal.event.type : "status" in signal && signal.status;
  });
  expect(kinds.filter((kind) => kind === "requesting" || kind === "message_start")).toEqual([
    "requesting",
    "message_start",
    "requesting",
    "message_start",
  ]);
});

test("a tool that is not offered gets a different answer than one that does not exist", async () => {
  const model = scriptedModel(
    {
      calls: [
        { name: "Fail", input: {} },
        { name: "Old", input: {} },
      ],
    },
    { text: "ok" },
  );
  const there = testEngine(model, { tools: [echo] });
  const ports = { ...there.ports, allTools: [echo, { ...failing, aliases: ["Older"] }] };
  await run(prompt("go"), "default", new Conversation(), ports, {});
  expect(resultsOf(there.entries)).toMatchObject([
    {
      content:
        "<tool_use_error>Error: No such tool available: Fail. Fail exists but is not enabled in this context. " +
        "Use the tools that are available.</tool_use_error>",
      is_error: true,
    },
    { content: "<tool_use_error>Error: No such tool available: Old</tool_use_error>", is_error: true },
  ]);
});

test("whatever goes wrong with a call, it is answered and the model continues", async () => {
  const calls = [
    { name: "Nope", input: {} },
    { name: "Echo", input: {} },
    { name: "Fail", input: {} },
    { name: "Echo", input: { text: "fine" } },
  ];
  const { entries, end, conversation } = await play(scriptedModel({ calls }, { text: "ok" }));

  expect(resultsOf(entries)).toEqual([
    {
      tool_use_id: "call_1_1",
      type: "tool_result",
      content: "<tool_use_error>Error: No such tool available: Nope</tool_use_error>",
      is_error: true,
    },
    {
      tool_use_id: "call_1_2",
      type: "tool_result",
      content:
        "<tool_use_error>InputValidationError: Echo failed due to the following issue:\nThe required parameter `text` is missing</tool_use_error>",
      is_error: true,
    },
    { tool_use_id: "call_1_3", type: "tool_result", content: "It did not work", is_error: true },
    { tool_use_id: "call_1_4", type: "tool_result", content: "fine", is_error: false },
  ]);
  expect(end.reason).toBe("completed");
  expect(problems(conversation.messages)).toEqual([]);
});

test("a tool that fails unexpectedly still answers its call", async () => {
  const broken: Tool = { ...echo, run: () => Promise.reject(new TypeError("x is undefined")) };
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "ok" });
  const { entries } = await play(model, {}, { tools: [broken] });
  expect(resultsOf(entries)).toMatchObject([{ content: "Echo failed unexpectedly: x is undefined", is_error: true }]);
});

test("if the gate fails, the call is answered and not run", async () => {
  let ran = 0;
  const counting: Tool = { ...echo, run: async ({ text }) => (ran++, { said: text }) };
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "ok" });
  const permit = () => Promise.reject(new Error("no rules"));
  const { entries, end } = await play(model, {}, { tools: [counting], permit });
  expect(resultsOf(entries)).toMatchObject([{ content: "Echo failed unexpectedly: no rules", is_error: true }]);
  expect([ran, end.reason]).toEqual([0, "completed"]);
});

test("an input that was changed on the way must match the schema too", async () => {
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "ok" });
  const permit = () =>
    ({ behavior: "allow", by: "person", source: "user_temporary", input: { text: 7, x: 1 } }) as const;
  const { entries } = await play(model, {}, { permit });
  expect(resultsOf(entries)).toMatchObject([
    { is_error: true, content: expect.stringContaining("InputValidationError") },
  ]);
});

test("input that is not JSON is answered with the reason", async () => {
  const model = scriptedModel(
    { calls: [{ name: "Echo", input: { text: "a" } }], brokenJson: '{"text": "a' },
    { text: "ok" },
  );
  const { entries } = await play(model);
  expect(resultsOf(entries)).toMatchObject([{ is_error: true, content: expect.stringContaining("not valid JSON") }]);
});

test("a denied call is answered with the reason and listed at the end", async () => {
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "ok" });
  const permit = () => ({ behavior: "deny", message: "Not here", by: "rule" }) as const;
  const { end, entries } = await play(model, {}, { permit });
  expect(resultsOf(entries)).toMatchObject([{ content: "Not here", is_error: true }]);
  expect(end.denials).toEqual([{ tool_name: "Echo", tool_use_id: "call_1_1", tool_input: { text: "a" } }]);
  expect(end.reason).toBe("completed");
});

test("a denial that interrupts ends the run with every call answered", async () => {
  const calls = [
    { name: "Fail", input: {} },
    { name: "Echo", input: { text: "b" } },
  ];
  const permit = () => ({ behavior: "deny", message: "Stop", by: "person", interrupt: true }) as const;
  const { end, conversation, asked, entries } = await play(scriptedModel({ calls }), {}, { permit });
  expect(end.reason).toBe("aborted_tools");
  // The second is not even asked about.
  expect(asked.map(({ tool }) => tool.name)).toEqual(["Fail"]);
  expect(entries.flatMap((entry) => ("toolDenialKind" in entry ? [entry.toolDenialKind] : []))).toEqual([
    "user-rejected",
    "user-rejected",
  ]);
  expect(problems(conversation.messages)).toEqual([]);
  expect(conversation.messages.at(-1)!.content).toContainEqual({
    type: "text",
    text: "[Request interrupted by user for tool use]",
  });
});

test("neighboring calls that allow it run in parallel, all others alone and in order", async () => {
  const log: string[] = [];
  const both = Promise.withResolvers<void>();
  let running = 0;
  const slow: Tool = {
    ...echo,
    name: "Slow",
    run: async ({ text }) => {
      log.push(`start ${text}`);
      if (++running === 2) both.resolve();
      await both.promise;
      log.push(`end ${text}`);
      return { said: text };
    },
  };
  const alone: Tool = {
    ...echo,
    name: "Alone",
    parallelSafe: false,
    run: async ({ text }) => (log.push(`alone ${text}`), { said: text }),
  };
  const calls = ["Slow", "Slow", "Alone", "Alone"].map((name, index) => ({ name, input: { text: `${index}` } }));
  const { entries } = await play(scriptedModel({ calls }, { text: "ok" }), {}, { tools: [slow, alone] });

  expect(log.slice(0, 2)).toEqual(["start 0", "start 1"]);
  expect(log.slice(4)).toEqual(["alone 2", "alone 3"]);
  expect(resultsOf(entries)).toHaveLength(4);
});

test("when turns run out, the calls are answered and the result says so", async () => {
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] });
  const { end, conversation } = await play(model, { maxTurns: 1 });
  expect(end).toMatchObject({ reason: "max_turns", maxTurns: 1 });
  expect(problems(conversation.messages)).toEqual([]);
});

test("when turns run out with the summary setting, there is one more request without tools", async () => {
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "So far: a" });
  const { end } = await play(model, { maxTurns: 1, summarizeOnMaxTurns: true });
  expect(end).toMatchObject({ reason: "max_turns", summary: "So far: a" });
  expect(model.requests[1]!.tool_choice).toEqual({ type: "none" });
});

test("the budget is checked after each reply, and calls made by then are answered, not run", async () => {
  let ran = 0;
  const counting: Tool = { ...echo, run: async ({ text }) => (ran++, { said: text }) };
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] });
  const { end, conversation } = await play(model, { maxBudgetUsd: 0.5 }, { tools: [counting], spent: () => 0.6 });
  expect([end.reason, ran, end.denials.length]).toEqual(["budget_exhausted", 0, 0]);
  expect(problems(conversation.messages)).toEqual([]);
});

test("an unknown price counts as over any budget", async () => {
  const { end } = await play(scriptedModel({ text: "hi" }), { maxBudgetUsd: 100 }, { spent: () => null });
  expect(end.reason).toBe("budget_exhausted");
});

test("an abort while streaming keeps the text so far and leaves the marker", async () => {
  const never = new Promise(() => {});
  const model = scriptedModel({ text: ["Hel", "lo"], hold: never, holdAfter: "first_delta" });
  const there = testEngine(model, { tools: [] });
  const conversation = new Conversation();
  const running = run(prompt("go"), "default", conversation, there.ports, {});
  while (model.requests.length === 0) await Promise.resolve();
  queueMicrotask(() => there.abort());
  const end = await running;

  expect(end.reason).toBe("aborted_streaming");
  const last = conversation.messages.at(-1)!;
  expect(last.role).toBe("user");
  expect(last.content).toContainEqual({ type: "text", text: "[Request interrupted by user]" });
});

test("an abort while streaming has the stop reason of the last whole reply", async () => {
  const never = new Promise(() => {});
  const calls = { calls: [{ name: "Echo", input: { text: "a" } }] };
  const model = scriptedModel(calls, { text: ["Hel", "lo"], hold: never, holdAfter: "first_delta" });
  const there = testEngine(model, { tools: [echo] });
  const running = run(prompt("go"), "default", new Conversation(), there.ports, {});
  while (model.requests.length < 2) await new Promise(setImmediate);
  there.abort();
  expect(await running).toMatchObject({ reason: "aborted_streaming", stopReason: "tool_use" });
});

test("an abort while tools run answers every call", async () => {
  const controller = new AbortController();
  const hanging: Tool = {
    ...echo,
    parallelSafe: false,
    run: async ({ text }, { signal }) => {
      if (text === "last") controller.abort();
      signal.throwIfAborted();
      return { said: text };
    },
  };
  const calls = ["first", "last"].map((text) => ({ name: "Echo", input: { text } }));
  const options = { tools: [hanging], signal: controller.signal };
  const { end, conversation, entries } = await play(scriptedModel({ calls }), {}, options);
  expect(end.reason).toBe("aborted_tools");
  expect(resultsOf(entries)).toHaveLength(2);
  expect(problems(conversation.messages)).toEqual([]);
});

test("an API error is shown, not sent, and ends the run", async () => {
  const model = scriptedModel({ status: 400, message: "bad field" });
  const { end, entries } = await play(model);
  expect(end).toMatchObject({ reason: "api_error", apiError: { status: 400 } });
  expect(entries.at(-1)).toMatchObject({ type: "assistant", isApiErrorMessage: true, apiErrorStatus: 400 });
});

test("a reply cut off by the length limit is continued three times, then the run gives up", async () => {
  const cut = { text: "part", stopReason: "max_tokens" };
  const { end } = await play(scriptedModel(cut, cut, cut, cut));
  expect(end.reason).toBe("api_error");
  const { end: fine } = await play(scriptedModel(cut, { text: "rest" }));
  expect(fine).toMatchObject({ reason: "completed", text: "rest" });
});

test("a stream lost after a finished block keeps the block and continues", async () => {
  const model = scriptedModel(
    { text: "first", blocks: [{ type: "text", text: "lost" }], cutAfter: "first_block" },
    { text: "rest" },
  );
  const { end, conversation } = await play(model);
  expect(end).toMatchObject({ reason: "completed", text: "rest" });
  expect(conversation.messages[1]!.content).toEqual([{ type: "text", text: "first" }]);
});

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const structured = { structured: { schema, maxRetries: 5 } };

test("structured output ends the run with the value", async () => {
  const model = scriptedModel(
    { calls: [{ name: "StructuredOutput", input: { a: 1 } }] },
    { calls: [{ name: "StructuredOutput", input: { a: "x" } }] },
  );
  const { end, entries } = await play(model, structured, { tools: [structuredOutputTool(schema)] });
  expect(end).toMatchObject({ reason: "completed", text: '{"a":"x"}', structured: { a: "x" } });
  expect(resultsOf(entries)[0]).toMatchObject({
    content: "<tool_use_error>Output does not match required schema: /a: must be string</tool_use_error>",
  });
});

test("structured output that never matches gives up after five attempts", async () => {
  const wrong = { calls: [{ name: "StructuredOutput", input: { a: 1 } }] };
  const model = scriptedModel(wrong, wrong, wrong, wrong, wrong);
  const { end } = await play(model, structured, { tools: [structuredOutputTool(schema)] });
  expect(end.reason).toBe("structured_output_retry_exhausted");
});

test("a plain answer in place of a structured one is nudged once, then accepted", async () => {
  const model = scriptedModel({ text: "plain" }, { text: "still plain" });
  const { end, entries } = await play(model, structured, { tools: [structuredOutputTool(schema)] });
  expect(end).toMatchObject({ reason: "completed", text: "still plain" });
  expect(end.structured).toBeUndefined();
  expect(entries.filter((entry) => entry.type === "user" && entry.isMeta)).toHaveLength(1);
});

test("text that is too long to show is saved to a file, and the model gets its path", async () => {
  const long: Tool = { ...echo, maxShown: 100, run: async () => ({ said: "x".repeat(500) }) };
  const model = scriptedModel({ calls: [{ name: "Echo", input: { text: "a" } }] }, { text: "ok" });
  const { spilled, entries } = await play(model, {}, { tools: [long] });
  const [[path, text]] = [...spilled] as [[string, string]];
  expect(text).toBe("x".repeat(500));
  expect(resultsOf(entries)).toMatchObject([{ content: expect.stringContaining(path) }]);
});

test("what was typed during the run is added at the next boundary", async () => {
  const model = scriptedModel(
    () => {
      there.steer(typed("also b"));
      return { calls: [{ name: "Echo", input: { text: "a" } }] };
    },
    { text: "ok" },
  );
  const there = testEngine(model, { tools: [echo] });
  await run(prompt("go"), "default", new Conversation(), there.ports, {});
  expect(model.requests[1]!.messages.at(-1)!.content).toEqual([
    { type: "tool_result", tool_use_id: "call_1_1", content: "a", is_error: false },
    { type: "text", text: "also b" },
  ]);
});

test("queued input comes before the prompt, and starts the run if there is no prompt", async () => {
  const model = scriptedModel({ text: "one" }, { text: "two" });
  const there = testEngine(model);
  const conversation = new Conversation();
  there.steer(typed("a task ended"));
  await run(prompt("go"), "default", conversation, there.ports, {});
  there.steer(typed("another one ended"));
  const end = await run(undefined, "default", conversation, there.ports, {});

  expect(end).toMatchObject({ reason: "completed", text: "two", numTurns: 1 });
  expect(model.requests.map(({ messages }) => messages.at(-1)!.content)).toEqual([
    [
      { type: "text", text: "a task ended" },
      { type: "text", text: "go" },
    ],
    [{ type: "text", text: "another one ended" }],
  ]);
});

test("a hook can block a prompt, and a Stop hook can send the model back to work", async () => {
  const said = { reasons: ["no"], context: [] };
  const blocked = await play(
    scriptedModel(),
    {},
    {
      fire: (event) => (event === "UserPromptSubmit" ? { ...said, verdict: "deny" } : { reasons: [], context: [] }),
    },
  );
  expect(blocked.end).toMatchObject({
    reason: "hook_stopped",
    text: "A hook blocked this prompt: no\n\nOriginal prompt: go",
    numTurns: 0,
  });

  let stops = 0;
  const model = scriptedModel({ text: "one" }, { text: "two" });
  const sent = await play(
    model,
    {},
    {
      fire: (event) =>
        event === "Stop" && stops++ === 0 ? { ...said, verdict: "deny" } : { reasons: [], context: [] },
    },
  );
  expect(sent.end).toMatchObject({ reason: "completed", text: "two" });
});

test.each([
  [undefined, ["My answer", "newsStop hook feedback:\nno"], []],
  // In the last turn, it is for the next run.
  [1, [], ["news"]],
])(
  "what came behind an answer is read where a Stop hook makes the run go on (turns: %p)",
  async (maxTurns, read, left) => {
    let stops = 0;
    const model = scriptedModel({ text: "My answer" }, { text: "two" });
    const there = testEngine(model, {
      fire: (event) => {
        if (event !== "Stop" || stops++ > 0) return { reasons: [], context: [] };
        there.steer(typed("news"));
        return { reasons: ["no"], context: [], verdict: "deny" };
      },
    });
    await run(prompt("go"), "default", new Conversation(), there.ports, maxTurns === undefined ? {} : { maxTurns });
    const messages = model.requests[1]?.messages.slice(1) ?? [];
    expect(messages.map(({ content }) => textOf(content))).toEqual(read);
    expect(there.ports.steering().map(({ uuid }) => uuid)).toEqual(left);
  },
);
