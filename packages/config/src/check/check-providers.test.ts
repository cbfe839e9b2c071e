import { expect, test } from "bun:test";
import { checkSettings } from "./check.ts";

const check = (providers: unknown) => {
  const { settings, warnings } = checkSettings({ providers }, "F", "user");
  return { providers: settings.providers, warnings: warnings.map((text) => text.replace(/^F: providers/, "")) };
};

test("a whole block is kept as it is", () => {
  const local = {
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:8000/v1",
    apiKeyEnv: "LOCAL_LLM_KEY",
    apiKeyHelper: "print-key",
    headers: { "x-team": "blue" },
    query: { "api-version": "1" },
    models: {
      "qwen3-coder": {
        contextWindow: 131_072,
        maxTokens: 16_384,
        images: false,
        thinking: "none",
        price: { input: 0.2, output: 0.8, cacheRead: 0.02 },
      },
    },
    compat: {
      maxTokensField: "max_tokens",
      developerRole: false,
      streamUsage: true,
      reasoningField: "reasoning_content",
      stringToolContent: true,
    },
  };
  expect(check({ local })).toEqual({ providers: { local } as never, warnings: [] });
});

test.each([
  [[], ' should be an object such as {"local": {"api": …, "baseUrl": …}}, not []; it is ignored'],
  [{ "a b": {} }, ".a b is not a provider name; use letters, digits, dots, dashes and underscores; it is ignored"],
  [{ a: 1 }, ".a should be an object, not 1; it is ignored"],
  [
    { a: { api: "openai" } },
    '.a.api should be one of "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "vertex", not "openai"; it is ignored',
  ],
  [
    { a: { apiKey: "sk-secret" } },
    '.a.apiKey is not a known field; put the key in a variable and name it in "apiKeyEnv", or run keelson auth login PROVIDER; it is ignored',
  ],
  [
    { a: { baseURL: "x" } },
    expect.stringContaining(".a.baseURL is not a known field; known fields are api, baseUrl, "),
  ],
  [
    { a: { baseUrl: "ftp://user:secret@x" } },
    '.a.baseUrl is not an http or https URL such as "http://127.0.0.1:8000/v1"; it is ignored',
  ],
  [
    { a: { apiKeyEnv: "sk-secret" } },
    '.a.apiKeyEnv should be the name of a variable, such as "LOCAL_LLM_KEY"; it is ignored',
  ],
  [{ a: { headers: "secret: 1" } }, ".a.headers should be an object of strings; it is ignored"],
  [{ a: { headers: { "x y": "secret" } } }, ".a.headers.x y is not a name with a string of one line; it is ignored"],
  [{ a: { headers: { x: "sec\nret" } } }, ".a.headers.x is not a name with a string of one line; it is ignored"],
  [
    { a: { models: { m: { contextWindow: 0 } } } },
    ".a.models.m.contextWindow should be a whole number above 0, not 0; it is ignored",
  ],
  [
    { a: { models: { m: { thinking: true } } } },
    '.a.models.m.thinking should be one of "none", "budget", "adaptive", not true; it is ignored',
  ],
  [
    { a: { models: { m: { price: { input: 1 } } } } },
    '.a.models.m.price should be prices such as {"input": 3, "output": 15} in dollars per million tokens, not {"input":1}; it is ignored',
  ],
  [
    { a: { compat: { streamUsage: "yes" } } },
    '.a.compat.streamUsage should be true or false, not "yes"; it is ignored',
  ],
])("a mistake is named: %j", (providers, warning) => {
  const { warnings } = check(providers);
  expect(warnings).toEqual([warning]);
  expect(JSON.stringify(warnings)).not.toContain("secret");
});

test("a mistake drops only itself", () => {
  expect(check({ a: { api: "gemini", baseUrl: 1 }, b: { api: "vertex" } }).providers).toEqual({
    a: { api: "gemini" },
    b: { api: "vertex" },
  });
});
