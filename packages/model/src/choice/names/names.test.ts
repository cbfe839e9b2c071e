import { expect, test } from "bun:test";
import { resolveAlias } from "../../profiles/profiles.ts";
import { locate, type LookUpFacts } from "./look-up.ts";

function bareDestination(name: string, env: LookUpFacts["env"], providers?: LookUpFacts["providers"]) {
  const { provider, id } = locate(name, { env, ...(providers ? { providers } : {}) });
  return [provider, id];
}

const local = { local: { api: "openai-chat", baseUrl: "http://127.0.0.1:1/v1" } } as const;

test.each([
  ["openai/gpt-5", "openai", "gpt-5", "openai/gpt-5"],
  ["openrouter/anthropic/claude-sonnet-4.5", "openrouter", "anthropic/claude-sonnet-4.5", undefined],
  ["ollama/qwen3-coder:30b", "ollama", "qwen3-coder:30b", undefined],
  ["google/gemini-2.5-pro", "gemini", "gemini-2.5-pro", "gemini/gemini-2.5-pro"],
  ["OpenAI/gpt-5", "openai", "gpt-5", "openai/gpt-5"],
  ["local/some/model", "local", "some/model", undefined],
  ["bedrock/arn:aws:bedrock:eu-west-1:1:inference-profile/x", "bedrock", undefined, undefined],
  // Where they go today.
  ["claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["sonnet", "anthropic", resolveAlias("sonnet", {}), resolveAlias("sonnet", {})],
  ["arn:aws:bedrock:eu-west-1:1:inference-profile/x", "anthropic", undefined, undefined],
  ["anthropic/claude-opus-4-8", "anthropic", "claude-opus-4-8", "claude-opus-4-8"],
  ["/models/x", "anthropic", "/models/x", "/models/x"],
])("%s leads to %s", (name, provider, id, spelled) => {
  const found = locate(name, { env: {}, providers: local });
  const rest = name.includes("arn:") ? name.slice(name.indexOf("arn:")) : name.slice(name.indexOf("/") + 1);
  expect(found).toEqual({ provider, id: id ?? rest, name: spelled ?? name });
});

test("behind a gateway, a prefix that is unknown or not configured is part of the id", () => {
  const gateway = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
  for (const name of ["openai/gpt-5", "bedrock/claude", "team-a/best", "anthropic/claude-sonnet-4.5"])
    expect(locate(name, { env: gateway })).toEqual({ provider: "anthropic", id: name, name });
  expect(locate("openai/gpt-5", { env: { ...gateway, OPENAI_API_KEY: "k" } }).provider).toBe("openai");
  expect(locate("openai/gpt-5", { env: gateway, hasStoredKey: (name) => name === "openai" }).provider).toBe("openai");
  expect(locate("local/m", { env: gateway, providers: local }).provider).toBe("local");
  expect(locate("team-a/best", { env: { CLAUDE_CODE_USE_VERTEX: "1" } })).toEqual({
    provider: "vertex",
    id: "team-a/best",
    name: "team-a/best",
  });
});

test("an unknown provider is an error that lists the known ones", () => {
  expect(() => locate("opnai/gpt-5", { env: {} })).toThrow('Unknown provider "opnai"; did you mean "openai"?');
  expect(() => locate("acme/gpt-5", { env: {}, providers: local })).toThrow(
    /^Unknown provider "acme"; known providers are anthropic, anthropic-aws, azure, bedrock, .*local, .*zai\. Add others to "providers"/,
  );
  expect(() => locate("openai/", { env: {} })).toThrow('"openai/" has no model after the slash');
});

test("aliases may lead to another provider by their variables", () => {
  const env = { ANTHROPIC_DEFAULT_HAIKU_MODEL: "openai/gpt-5-mini", ANTHROPIC_DEFAULT_OPUS_MODEL: "local/big" };
  expect(bareDestination("haiku", env)).toEqual(["openai", "gpt-5-mini"]);
  expect(bareDestination("opus", env, local)).toEqual(["local", "big"]);
  expect(bareDestination("haiku", { ANTHROPIC_SMALL_FAST_MODEL: "ollama/small" })).toEqual(["ollama", "small"]);
});

test("a switch sends names to its cloud, under the ids that they have there", () => {
  const bedrock = (region: string) => ({ CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: region });
  const id = (name: string, env: Record<string, string>, modelOverrides?: Record<string, string>) =>
    locate(name, { env, ...(modelOverrides ? { modelOverrides } : {}) }).id;
  expect(id("default", bedrock("us-east-1"))).toBe("us.anthropic.claude-opus-5-5");
  expect(id("opus", bedrock("eu-central-1"))).toBe("eu.anthropic.claude-opus-5-5");
  expect(id("sonnet", bedrock("ap-south-1"))).toBe("apac.anthropic.claude-sonnet-4-5-20250929-v1:0");
  expect(id("opus", bedrock("us-gov-west-1"))).toBe("us-gov.anthropic.claude-opus-5-5");
  expect(id("opus", bedrock("sa-east-1"))).toBe("global.anthropic.claude-opus-5-5");
  expect(id("opus", { CLAUDE_CODE_USE_VERTEX: "1" })).toBe("claude-opus-5-5");
  expect(id("sonnet", { CLAUDE_CODE_USE_VERTEX: "1" })).toBe("claude-sonnet-4-5@20250929");
  expect(id("default", { CLAUDE_CODE_USE_FOUNDRY: "1" })).toBe("claude-sonnet-4-5");
  expect(id("opus", { CLAUDE_CODE_USE_FOUNDRY: "1" })).toBe("claude-opus-4-6");
  expect(id("Fable[1m]", { CLAUDE_CODE_USE_VERTEX: "1" })).toBe("claude-fable-5-2");
  expect(id("sonnet", { CLAUDE_CODE_USE_MANTLE: "1" })).toBe("anthropic.claude-sonnet-4-5");
  expect(id("haiku", { CLAUDE_CODE_USE_ANTHROPIC_AWS: "1" })).toBe("claude-haiku-4-5-20251001");
  expect(id("best", bedrock("us-east-1"))).toBe(id("opus", bedrock("us-east-1")));
  const arn = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc";
  expect(id(arn, bedrock("eu-west-1"))).toBe(arn);
  // Aliases go through the overrides; only the vendor's full id is matched.
  const overrides = { "claude-sonnet-4-5-20250929": arn };
  expect(id("sonnet", bedrock("eu-west-1"), overrides)).toBe(arn);
  expect(id("claude-sonnet-4-5-20250929", bedrock("eu-west-1"), overrides)).toBe(arn);
  expect(id("claude-sonnet-4-5", bedrock("eu-west-1"), overrides)).toBe("eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
  expect(id("opus", bedrock("eu-west-1"), { "claude-opus-5-5": "my-opus" })).toBe("my-opus");
  // A variable takes precedence, and may leave the cloud.
  expect(id("opus", { ...bedrock("eu-west-1"), ANTHROPIC_DEFAULT_OPUS_MODEL: "eu.anthropic.x" })).toBe(
    "eu.anthropic.x",
  );
  expect(bareDestination("bedrock/sonnet", { AWS_REGION: "eu-west-1" })).toEqual([
    "bedrock",
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
  ]);
});
