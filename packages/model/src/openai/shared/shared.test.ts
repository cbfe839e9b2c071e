import { expect, test } from "bun:test";
import { effortFor } from "./effort.ts";
import { flavourOf, isReasoningModelName, isSameFamily } from "./flavour.ts";
import { fitParameters } from "./tools/parameters.ts";
import { estimatedTokens, usageIn } from "./usage.ts";

test.each<[object, readonly string[], string | undefined]>([
  [{ output_config: { effort: "low" } }, ["low", "medium", "high"], "low"],
  [{ output_config: { effort: "xhigh" } }, ["low", "medium", "high"], "high"],
  [{ output_config: { effort: "max" } }, ["low", "medium", "high", "xhigh"], "xhigh"],
  [{ output_config: { effort: "max" } }, ["high", "max"], "max"],
  [{ output_config: { effort: "medium" } }, ["none", "high"], "high"],
  [{ output_config: { effort: "medium" } }, [], undefined],
  [{ thinking: { type: "disabled" }, output_config: { effort: "high" } }, ["none", "low"], "none"],
  [{ thinking: { type: "disabled" } }, ["minimal", "low"], "minimal"],
  [{ thinking: { type: "disabled" } }, ["low", "high"], "low"],
  [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, ["low", "medium", "high"], "low"],
  [{ thinking: { type: "enabled", budget_tokens: 30_000 } }, ["low", "medium", "high"], "high"],
  [{ thinking: { type: "adaptive" } }, ["low", "high"], undefined],
  [{}, ["low"], undefined],
])("effortFor(%j) among %j is %j", (request, efforts, effort) => {
  expect(effortFor(request, { efforts })).toBe(effort);
});

test.each([
  ["openai", "https://api.openai.com/v1", "openai"],
  ["openai", "http://127.0.0.1:8000/v1", "other"],
  ["mine", "https://x.openai.azure.com/openai/v1", "azure"],
  ["azure", "http://127.0.0.1:1", "azure"],
  ["mine", "https://openrouter.ai/api/v1", "openrouter"],
  ["ollama", "http://127.0.0.1:11434/v1", "ollama"],
  ["evil", "https://api.openai.com.example/v1", "other"],
])("flavourOf() %s at %s is %s", (provider, baseUrl, flavour) => {
  expect(flavourOf({ provider, baseUrl })).toBe(flavour as never);
});

test("isReasoningModelName() knows the vendor's models that think", () => {
  const names = [
    "gpt-5",
    "gpt-5.2-codex",
    "o3",
    "o4-mini",
    "openai/gpt-5",
    "gpt-5-chat-latest",
    "gpt-4o",
    "olmo",
    "gpt-oss",
  ];
  expect(names.filter(isReasoningModelName)).toEqual(["gpt-5", "gpt-5.2-codex", "o3", "o4-mini", "openai/gpt-5"]);
});

test("isSameFamily() ignores dates, tags and prefixes", () => {
  expect(isSameFamily("gpt-5", "gpt-5-2025-08-07")).toBe(true);
  expect(isSameFamily("openai/gpt-5", "gpt-5")).toBe(true);
  expect(isSameFamily("qwen3:8b", "qwen3:30b")).toBe(true);
  expect(isSameFamily("gpt-5", "gpt-5-mini")).toBe(false);
});

test("fitParameters() keeps a schema that is accepted, and repairs others", () => {
  const fine = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } } as const;
  expect(fitParameters(fine)).toBe(fine);
  expect(fitParameters({ type: "object" })).toEqual({ type: "object", properties: {} });
  expect(fitParameters({})).toEqual({ type: "object", properties: {} });
  expect(
    fitParameters({
      type: "object",
      properties: { list: { type: "array" }, deep: { anyOf: [{ type: ["array", "null"] }, { type: "string" }] } },
    }),
  ).toEqual({
    type: "object",
    properties: {
      list: { type: "array", items: {} },
      deep: { anyOf: [{ type: ["array", "null"], items: {} }, { type: "string" }] },
    },
  });
  expect(
    fitParameters({
      $schema: "s",
      oneOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "number" } } },
      ],
    }),
  ).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "number" } } });
});

test("usageIn() reads the counts of both dialects and of DeepSeek", () => {
  expect(usageIn({ prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 4 })?.usage).toEqual({
    input_tokens: 6,
    output_tokens: 2,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 0,
  });
  expect(usageIn({ input_tokens: 10, output_tokens: 2 })?.usage.input_tokens).toBe(10);
  expect(usageIn(null)).toBeUndefined();
  expect(usageIn({ prompt_tokens: "x" })).toBeUndefined();
});

test("estimatedTokens() does not count the bytes of pictures", () => {
  const picture = { image_url: { url: `data:image/png;base64,${"A".repeat(1_000_000)}` } };
  expect(estimatedTokens(picture)).toBeLessThan(2_000);
  expect(estimatedTokens(["x".repeat(3_500)])).toBeGreaterThanOrEqual(1_000);
});
