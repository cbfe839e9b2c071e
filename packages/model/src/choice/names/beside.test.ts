import { expect, test } from "bun:test";
import { nameBeside, smallModelName } from "./beside.ts";

const groq = { provider: "groq", name: "groq/openai/gpt-oss-120b" };
const local = { provider: "local", name: "local/big" };
const bedrock = { provider: "bedrock", name: "us.anthropic.claude-opus-5-5" };
const SWITCH = { CLAUDE_CODE_USE_BEDROCK: "1" };
const KEY = { ANTHROPIC_API_KEY: "k" };

test.each([
  ["haiku", groq, {}, "groq/openai/gpt-oss-20b"],
  ["opus", groq, {}, groq.name],
  ["sonnet[1m]", groq, {}, groq.name],
  // Nothing leaves the provider that the user chose, also if another could be asked.
  ["haiku", local, KEY, local.name],
  ["default", local, KEY, local.name],
  // Unless the user says what an alias is, or names a model.
  ["haiku", local, { ANTHROPIC_DEFAULT_HAIKU_MODEL: "openai/gpt-5-mini" }, "haiku"],
  ["haiku", local, { ANTHROPIC_SMALL_FAST_MODEL: "openai/gpt-5-mini" }, "haiku"],
  ["openai/gpt-5", local, {}, "openai/gpt-5"],
  ["claude-haiku-4-5", local, KEY, "claude-haiku-4-5"],
  ["claude-haiku-4-5", groq, {}, "groq/openai/gpt-oss-20b"],
  ["claude-opus-4-8", groq, {}, groq.name],
  // Clouds have Claude.
  ["haiku", bedrock, SWITCH, "haiku"],
  ["claude-opus-4-8", bedrock, SWITCH, "claude-opus-4-8"],
  ["opus", { provider: "vertex", name: "vertex/claude-haiku-4-5" }, {}, "vertex/opus"],
  ["opus", { provider: "vertex", name: "vertex/gemini-2.5-pro" }, {}, "vertex/gemini-2.5-pro"],
  ["haiku", { provider: "vertex", name: "vertex/gemini-2.5-pro" }, {}, "vertex/gemini-2.5-flash"],
])("%s beside %j is %s", (name, session, env, expected) => {
  expect(nameBeside(name, session, { env })).toBe(expected);
});

test("the small model is a variable's, the provider's at its own address, or the session's own", () => {
  const openai = { provider: "openai", name: "openai/gpt-5" };
  const small = (env: Record<string, string>) => smallModelName(openai, { env });
  expect(small({})).toBe("openai/gpt-5-mini");
  expect(small({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toBe("openai/gpt-5");
  expect(small({ ANTHROPIC_SMALL_FAST_MODEL: "ollama/tiny" })).toBe("ollama/tiny");
  expect(smallModelName(bedrock, { env: SWITCH })).toBe("haiku");
  expect(smallModelName({ provider: "vertex", name: "vertex/claude-opus-5-5" }, { env: {} })).toBe("vertex/haiku");
});
