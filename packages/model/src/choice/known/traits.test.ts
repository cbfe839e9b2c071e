import { expect, test } from "bun:test";
import { costOf } from "../../profiles/prices.ts";
import { lookUpModel } from "../../profiles/profiles.ts";
import { locate } from "../names/look-up.ts";
import { defaultModelOf, registered, smallModelOf } from "./registry.ts";
import { PROVIDERS } from "./providers.ts";
import { modelOf } from "./traits.ts";

const usage = { input_tokens: 1_000_000, output_tokens: 1_000_000, cache_read_input_tokens: 1_000_000 };

test("limits of known models, of the user's, and of unknown ones", () => {
  const limits = (name: string, providers = {}) => {
    const { profile } = lookUpModel(name, {}, { providers });
    return [profile.id, profile.contextWindow, profile.maxTokens, profile.thinking, profile.effort];
  };
  expect(limits("openai/gpt-5-2025-08-07")).toEqual(["openai/gpt-5-2025-08-07", 400_000, 128_000, "adaptive", true]);
  expect(limits("openrouter/openai/gpt-5")).toEqual(["openrouter/openai/gpt-5", 400_000, 128_000, "adaptive", true]);
  expect(limits("bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0")).toEqual([
    "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    200_000,
    32_000,
    "budget",
    false,
  ]);
  expect(limits("openrouter/anthropic/claude-sonnet-4.5").slice(1)).toEqual([200_000, 32_000, "budget", false]);
  expect(limits("ollama/new").slice(1)).toEqual([128_000, 16_384, "none", false]);
  const providers = {
    local: { models: { m: { contextWindow: 8000, thinking: "adaptive", efforts: ["low"] } } },
    openai: { models: { "gpt-5": { maxTokens: 5 } } },
  };
  expect(limits("local/m", providers).slice(1)).toEqual([8000, 8000, "adaptive", true]);
  expect(limits("openai/gpt-5", providers).slice(1)).toEqual([400_000, 5, "adaptive", true]);
});

test("a model under another id keeps its limits", () => {
  const arn = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc";
  const env = { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1" };
  const { profile } = lookUpModel("sonnet", env, { modelOverrides: { "claude-sonnet-4-5-20250929": arn } });
  expect(profile).toEqual({ id: arn, contextWindow: 200_000, maxTokens: 32_000, thinking: "budget", effort: false });
  const spoken = "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-4-8";
  expect(lookUpModel(spoken, env).profile).toMatchObject({ id: spoken, maxTokens: 64_000, thinking: "adaptive" });
  const long = lookUpModel("claude-sonnet-4-5[1m]", env);
  expect([long.profile.id, long.profile.contextWindow, long.longContext]).toEqual([
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    1_000_000,
    true,
  ]);
});

test("variables limit every model", () => {
  const env = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "7", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "70" };
  const { traits } = modelOf(locate("openai/gpt-5", { env }), { env });
  expect([traits.maxTokens, traits.contextWindow]).toEqual([7, 70]);
});

test.each([
  ["openai/gpt-4o", 16_384],
  ["bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 64_000],
  ["openai/new", 500_000],
])("variables do not raise the limit of %s above what is known", (name, most) => {
  const env = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "500000" };
  expect(modelOf(locate(name, { env }), { env }).traits.maxTokens).toBe(most);
});

test("costOf() knows list prices and the user's; without a price the cost is null", () => {
  const providers = { local: { models: { m: { price: { input: 0.2, output: 0.8, cacheRead: 0.02 } } } } };
  const cost = (name: string, extra = {}) => costOf(name, usage, extra, { providers });
  expect(cost("openai/gpt-5")).toBeCloseTo(1.25 + 10 + 0.125, 9);
  expect(cost("openai/gpt-5-2025-08-07")).toBeCloseTo(11.375, 9);
  expect(cost("local/m")).toBeCloseTo(1.02, 9);
  expect(cost("openrouter/anthropic/claude-sonnet-4.6")).toBeCloseTo(3 + 15 + 0.3, 9);
  expect(cost("vertex/claude-sonnet-4-5@20250929")).toBeCloseTo(6 + 22.5 + 0.6, 9);
  expect([cost("local/other"), cost("ollama/x"), cost("openrouter/deepseek/deepseek-chat")]).toEqual([
    null,
    null,
    null,
  ]);
  expect(cost("ollama/x", { "ollama/x": { input: 1, output: 2 } })).toBe(4);
  expect(cost("openai/gpt-5", { "gpt-5": { input: 1, output: 1 } })).toBe(3);
});

test("every default and small model is in the registry", () => {
  for (const provider of Object.keys(PROVIDERS))
    for (const id of [defaultModelOf(provider), smallModelOf(provider)])
      if (id !== undefined) expect(registered(provider, id)).toMatchObject({ contextWindow: expect.any(Number) });
});
