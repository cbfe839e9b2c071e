import { expect, test } from "bun:test";
import { jsonOf, type ModelMessage } from "@keelson/protocol";
import type { ModelChoice } from "../ports.ts";
import { buildRequest, requestParts } from "./request.ts";

const choice = (more: Partial<ModelChoice> = {}): ModelChoice => ({
  provider: { id: "none", stream: async function* () {} },
  profile: { id: "m", maxTokens: 32_000, contextWindow: 200_000, thinking: "budget", effort: false },
  betas: [],
  cache: { enabled: true, ttl: "5m" },
  ...more,
});

const messages: ModelMessage[] = [
  { role: "user", content: "go" },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x\n" }] },
];

test("three cache marks: both system blocks and the last block of the last user message", () => {
  const request = buildRequest(requestParts(choice(), ["who", "how"], []), messages);
  const mark = { type: "ephemeral" };
  expect(request.system).toEqual([
    { type: "text", text: "who", cache_control: mark },
    { type: "text", text: "how", cache_control: mark },
  ] as typeof request.system);
  expect(request.messages).toEqual([
    ...messages.slice(0, 2),
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: "x\n", cache_control: mark } as never],
    },
  ]);
  expect(messages[2]).toEqual({ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x\n" }] });
});

test("the cached text of a marked block is its JSON", () => {
  const request = buildRequest(requestParts(choice(), [], []), messages);
  const block = (request.messages[2]!.content as readonly object[])[0]!;
  expect(JSON.parse(jsonOf(block))).toEqual(block);
});

test("the cache time can be one hour, and caching can be off", () => {
  const hour = buildRequest(requestParts(choice({ cache: { enabled: true, ttl: "1h" } }), ["a"], []), messages);
  expect(hour.system[0]!.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  const off = buildRequest(requestParts(choice({ cache: { enabled: false, ttl: "5m" } }), ["a"], []), messages);
  expect([off.system, off.messages]).toEqual([[{ type: "text", text: "a" }], messages]);
});

test("runs with equal parts share their lists", () => {
  const parts = (text: string, ttl: "5m" | "1h" = "5m") =>
    requestParts(choice({ cache: { enabled: true, ttl } }), [text], []);
  const first = parts("one");
  expect(parts("two").system).not.toBe(first.system);
  expect(parts("one", "1h").system).not.toBe(first.system);
  expect(parts("one").system).toBe(first.system);
  expect(parts("one", "1h").system[0]!.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
});

test.each([true, false])("a request stays as it is when the conversation grows (with caching: %p)", (enabled) => {
  const growing = [...messages];
  const request = buildRequest(requestParts(choice({ cache: { enabled, ttl: "5m" } }), [], []), growing);
  growing.push({ role: "assistant", content: "done" });
  expect(request.messages).toHaveLength(messages.length);
});

test.each([
  ["budget", undefined, { type: "enabled", budget_tokens: 31_999 }],
  ["budget", 5_000, { type: "enabled", budget_tokens: 5_000 }],
  ["budget", 0, { type: "disabled" }],
  ["adaptive", undefined, { type: "adaptive" }],
  ["adaptive", 0, { type: "disabled" }],
  ["none", 5_000, undefined],
] as const)("thinking %s with %p tokens is asked for as %j", (thinking, thinkingTokens, expected) => {
  const model = choice({ thinkingTokens, profile: { ...choice().profile, thinking } });
  expect(buildRequest(requestParts(model, [], []), messages).thinking as unknown).toEqual(expected);
});

test("there is no thinking where the budget would leave no room for a reply", () => {
  const model = choice({ profile: { ...choice().profile, thinking: "budget", maxTokens: 1_024 } });
  expect(buildRequest(requestParts(model, [], []), messages).thinking).toEqual({ type: "disabled" });
});

test("effort is sent to models that support it, and tools can be forbidden", () => {
  const model = choice({ effort: "low", profile: { ...choice().profile, effort: true } });
  const tool = { name: "T", description: "d", input: { json: {} }, access: () => ({ kind: "none" as const }) };
  const tools = [{ ...tool, run: async () => "", show: () => "" }];
  const request = buildRequest(requestParts(model, [], tools), messages, { forbidTools: true });
  expect(request.output_config).toEqual({ effort: "low" });
  expect(request.tool_choice).toEqual({ type: "none" });
});
