import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ModelMessage } from "@keelson/protocol";
import { fitRequest } from "./fit.ts";

const own: ModelMessage = { role: "user", content: "hi" };
const foreign: ModelMessage = {
  role: "assistant",
  content: [
    { type: "text", text: " " },
    { type: "tool_use", id: "functions.Read:0", name: "Read", input: {} },
  ],
  reply: { model: "kimi-k2" },
};
const answer: ModelMessage = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "functions.Read:0", content: "" }],
};
const requestWith = (messages: readonly ModelMessage[], tools: ModelRequest["tools"] = []): ModelRequest => ({
  model: "claude-opus-5-5",
  max_tokens: 100,
  system: [],
  messages,
  tools,
  betas: [],
});

test("fitRequest() gives the same objects for the same messages, so that their bytes stay known", () => {
  const first = fitRequest(requestWith([own, foreign, answer])).request.messages;
  const second = fitRequest(requestWith([own, foreign, answer, { role: "assistant", content: "so" }])).request.messages;
  expect(first[0]).toBe(own);
  for (const [at, message] of first.entries()) expect(second[at]).toBe(message);
  expect(first).toMatchObject([
    own,
    { content: [{ type: "tool_use", id: expect.stringMatching(/^call_[0-9a-f]{24}$/) }] },
    { content: [{ type: "tool_result", content: "(no output)" }] },
  ]);
});

test("fitRequest() leaves a conversation that fits as it is", () => {
  const messages: ModelMessage[] = [own, { role: "assistant", content: [{ type: "text", text: "hello" }] }];
  expect(fitRequest(requestWith(messages)).request.messages).toBe(messages);
});

test("fitRequest() restores names, and gives a call another id if the conversation has it", () => {
  const name = `mcp__${"x".repeat(200)}`;
  const tool = { name, description: "d", input_schema: { type: "object" } };
  const { request, restore } = fitRequest({
    ...requestWith([own, { role: "assistant", content: [{ type: "tool_use", id: "a", name, input: {} }] }], [tool]),
    tool_choice: { type: "tool", name },
  });
  const [sent] = request.tools;
  expect(sent!.name.length).toBeLessThanOrEqual(128);
  expect(request.tool_choice).toEqual({ type: "tool", name: sent!.name });
  const start = (id: string) =>
    restore({
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id, name: sent!.name, input: {} },
    });
  expect(start("b")).toMatchObject({ content_block: { id: "b", name } });
  expect(start("a")).toMatchObject({ content_block: { id: expect.stringMatching(/^call_/), name } });
});
