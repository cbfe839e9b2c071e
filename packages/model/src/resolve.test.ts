import { expect, test } from "bun:test";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { resolveAlias } from "./profiles/profiles.ts";
import { resolveModel, type ResolveOptions } from "./resolve.ts";

const KEY = { ANTHROPIC_API_KEY: "sk-test-key" };

/** The resolved model without the provider. */
async function decide(options: ResolveOptions) {
  const { provider, ...rest } = await resolveModel(options);
  return { ...rest, provider: provider.id };
}

test("with only a key, the default model is used", async () => {
  expect(await decide({ env: KEY })).toEqual({
    provider: "anthropic",
    profile: {
      id: resolveAlias("sonnet", {}),
      maxTokens: 128_000,
      contextWindow: 1_000_000,
      thinking: "adaptive",
      effort: true,
    },
    effort: "medium",
    betas: ["interleaved-thinking-2025-05-14", "effort-2025-11-24"],
    cache: { enabled: true, ttl: "5m" },
    source: "api-key",
    apiKeySource: "ANTHROPIC_API_KEY",
  });
});

test("variables set model, effort, thinking, cache and betas; arguments override them", async () => {
  const env = {
    ANTHROPIC_AUTH_TOKEN: "tok",
    ANTHROPIC_MODEL: "claude-sonnet-4-5[1m]",
    ANTHROPIC_BETAS: "mine, effort-2025-11-24",
    MAX_THINKING_TOKENS: "5000",
    ENABLE_PROMPT_CACHING_1H: "1",
  };
  expect(await decide({ env, betas: ["yours"], metadata: { user_id: "u" } })).toEqual({
    provider: "anthropic",
    profile: {
      id: "claude-sonnet-4-5",
      maxTokens: 32_000,
      contextWindow: 1_000_000,
      thinking: "budget",
      effort: false,
    },
    effort: undefined,
    thinkingTokens: 5000,
    betas: [
      "interleaved-thinking-2025-05-14",
      "context-1m-2025-08-07",
      "extended-cache-ttl-2025-04-11",
      "mine",
      "effort-2025-11-24",
      "yours",
    ],
    cache: { enabled: true, ttl: "1h" },
    metadata: { user_id: "u" },
    source: "auth-token",
    apiKeySource: "none",
  });
  const chosen = await decide({
    env: { ...env, CLAUDE_CODE_EFFORT_LEVEL: "low" },
    model: "opus",
    effort: "max",
    thinkingTokens: 0,
  });
  // This model always thinks, so thinking is not disabled.
  expect([chosen.profile.id, chosen.effort, chosen.thinkingTokens]).toEqual(["claude-opus-5-5", "max", undefined]);
});

test("the offline model is used if nothing is configured or on request, and is announced", async () => {
  const nothing = await decide({ env: { ANTHROPIC_API_KEY: " " }, model: "opus" });
  expect(nothing).toEqual({
    provider: "offline",
    profile: { id: "keelson-offline", maxTokens: 8192, contextWindow: 200_000, thinking: "none", effort: false },
    betas: [],
    cache: { enabled: false, ttl: "5m" },
    source: "offline",
    apiKeySource: "none",
    announce:
      "No API key is set, so the built-in offline model answers; set ANTHROPIC_API_KEY to use a language model.",
  });
  const asked = await decide({ env: KEY, model: "offline" });
  expect([asked.source, asked.announce]).toEqual([
    "offline",
    "Using the built-in offline model, which follows simple instructions and is not a language model.",
  ]);
  expect((await decide({ env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" } })).source).toBe("base-url");
});

test("the error for an invalid variable names it", async () => {
  const failing = resolveModel({ env: { ...KEY, CLAUDE_CODE_EXTRA_BODY: "[1]" } });
  await expect(failing).rejects.toThrow("CLAUDE_CODE_EXTRA_BODY is not a JSON object; fix or unset it");
});

test("after three overload errors, the fallback model is used over HTTP", async () => {
  const bodies: any[] = [];
  const headers: Headers[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      headers.push(request.headers);
      bodies.push(await request.json());
      return bodies.length <= 3
        ? Response.json({ error: { type: "overloaded_error", message: "Overloaded" } }, { status: 529 })
        : new Response(`data: {"type":"message_stop"}\n\n`, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const waits: number[] = [];
  const { provider, profile, betas } = await resolveModel({
    env: {
      ...KEY,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`,
      ANTHROPIC_CUSTOM_HEADERS: "X-One: 1\nno colon\nX-Two: a: b",
      CLAUDE_CODE_EXTRA_BODY: '{"service_tier":"auto"}',
      CLAUDE_CODE_MAX_RETRIES: "99",
    },
    model: "claude-opus-4-8",
    fallbackModels: ["haiku"],
    sessionId: "sid",
    wait: async (ms) => void waits.push(ms),
    random: () => 0,
  });
  const request: ModelRequest = {
    model: profile.id,
    max_tokens: profile.maxTokens,
    system: [],
    messages: [],
    tools: [],
    betas,
  };
  const got: ModelEvent[] = await Array.fromAsync(provider.stream(request, new AbortController().signal));
  const retry = (attempt: number, delayMs: number) => ({
    type: "notice",
    notice: { type: "retry", attempt, maxRetries: 15, delayMs, status: 529, error: "overloaded" },
  });
  expect(got as unknown[]).toEqual([
    retry(1, 500),
    retry(2, 1000),
    {
      type: "notice",
      notice: { type: "fallback", from: "claude-opus-4-8", to: resolveAlias("haiku", {}), reason: "overloaded" },
    },
    { type: "message_stop" },
  ]);
  expect(waits).toEqual([500, 1000]);
  expect(bodies.map(({ model, max_tokens, service_tier }) => [model, max_tokens, service_tier])).toEqual([
    ["claude-opus-4-8", 64_000, "auto"],
    ["claude-opus-4-8", 64_000, "auto"],
    ["claude-opus-4-8", 64_000, "auto"],
    [resolveAlias("haiku", {}), 64_000, "auto"],
  ]);
  expect([headers[0]!.get("x-one"), headers[0]!.get("x-two"), headers[0]!.get("x-claude-code-session-id")]).toEqual([
    "1",
    "a: b",
    "sid",
  ]);
});

test("a rejected key is not retried", async () => {
  let asked = 0;
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => (
      asked++,
      Response.json({ error: { type: "authentication_error", message: "invalid x-api-key" } }, { status: 401 })
    ),
  });
  const { provider } = await resolveModel({ env: { ...KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}` } });
  const request: ModelRequest = { model: "m", max_tokens: 1, system: [], messages: [], tools: [], betas: [] };
  const error = await Array.fromAsync(provider.stream(request, new AbortController().signal)).catch((thrown) => thrown);
  expect([error instanceof ModelError, error.kind, asked]).toEqual([true, "authentication_failed", 1]);
});

test("a client that signs people in is told that there is no key; no model answers in its place", async () => {
  const client = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" };
  const address = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
  const providers = async (env: object, model?: string) =>
    (await decide({ env: { ...client, ...env }, ...(model === undefined ? {} : { model }) })).provider;
  expect([await providers({}), await providers(address)]).toEqual(["signed-out", "signed-out"]);
  expect((await decide({ env: client })).profile.id).toBe(resolveAlias("sonnet", {}));
  const headers = { ANTHROPIC_CUSTOM_HEADERS: "x-api-key: k" };
  expect(await providers({ ...address, ...headers })).toBe("anthropic");
  expect([await providers(KEY), await providers({}, "offline")]).toEqual(["anthropic", "offline"]);

  const { provider } = await resolveModel({ env: client });
  const ask = async () => {
    for await (const _ of provider.stream({ model: "m", messages: [] } as never, new AbortController().signal));
  };
  expect(await ask().catch((error: unknown) => error)).toMatchObject({
    kind: "signed_out",
    message: "Not logged in · Please run /login",
  });
});
