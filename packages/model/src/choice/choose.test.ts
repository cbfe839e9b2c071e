// Which provider a session gets, with a dialect that only records what it is asked.

import { expect, test } from "bun:test";
import type { ModelEvent, ModelRequest } from "@keelson/engine";
import { ModelError } from "@keelson/engine";
import type { Dialect, DialectOptions, ListedModel } from "../dialect.ts";
import { resolveAlias } from "../profiles/profiles.ts";
import { resolveModel, type ResolveOptions } from "../resolve.ts";
import type { Attempt, Server } from "../http/server.ts";

interface Asked {
  readonly server: Server;
  readonly options: DialectOptions;
  readonly request: ModelRequest;
  readonly headers: Record<string, string>;
}

/** Answers everything, or fails as often as it is told to. */
function fakeDialect(settings: { models?: ListedModel[]; failures?: ModelError[]; losses?: string[] } = {}) {
  const asked: Asked[] = [];
  const dialect: Dialect = {
    provider(server, options) {
      async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
        const headers = new Headers();
        const attempt: Attempt = { method: "POST", url: new URL(server.baseUrl), headers, body: undefined };
        await server.credentials.authorize(attempt);
        asked.push({ server, options, request, headers: Object.fromEntries(headers) });
        const failure = settings.failures?.shift();
        if (failure) throw failure;
        for (const text of settings.losses ?? []) yield { type: "notice", notice: { type: "loss", text } };
        const usage = { input_tokens: 1, output_tokens: 1 };
        const message = {
          id: "m",
          type: "message",
          role: "assistant",
          model: "as-the-server-says",
          content: [],
          usage,
        };
        yield { type: "message_start", message } as unknown as ModelEvent;
        yield { type: "message_stop" };
      }
      return { id: "fake", stream, plain: stream };
    },
    list: async () => settings.models ?? [],
  };
  return { dialect, asked };
}

async function ask(options: ResolveOptions, more: Partial<ModelRequest> = {}) {
  const { provider, profile, betas } = await resolveModel(options);
  const request: ModelRequest = {
    model: profile.id,
    max_tokens: profile.maxTokens,
    system: [],
    messages: [],
    tools: [],
    betas,
    ...more,
  };
  return Array.fromAsync(provider.stream(request, new AbortController().signal));
}

const chat = (dialect: Dialect): Pick<ResolveOptions, "dialects"> => ({ dialects: { "openai-chat": dialect } });
const settings = {
  providers: {
    local: {
      api: "openai-chat",
      baseUrl: "http://127.0.0.1:1/v1/",
      apiKeyEnv: "LOCAL_KEY",
      headers: { "x-team": "blue" },
      query: { v: "1" },
      compat: { stringToolContent: true },
      models: { small: { contextWindow: 50_000, maxTokens: 1000, images: true, thinking: "none" } },
    },
  },
} as const;

test("a block in the settings describes a server, and its models their limits", async () => {
  const { dialect, asked } = fakeDialect();
  const options = { model: "local/small", env: { LOCAL_KEY: "secret-1" }, settings, ...chat(dialect) };
  const { provider: _, ...resolved } = await resolveModel(options);
  expect(resolved).toEqual({
    profile: {
      id: "local/small",
      contextWindow: 50_000,
      maxTokens: 1000,
      thinking: "none",
      effort: false,
      measureWindow: expect.any(Function),
    },
    effort: undefined,
    betas: [],
    cache: { enabled: true, ttl: "5m" },
    source: "provider",
    apiKeySource: "LOCAL_KEY",
    providerName: "local",
  });
  const events = await ask(options);
  // The rest of the program knows the model by one name.
  expect(events).toMatchObject([
    { type: "message_start", message: { model: "local/small" } },
    { type: "message_stop" },
  ]);
  const [{ server, options: given, request, headers }] = asked as [Asked];
  expect([request.model, headers]).toEqual(["small", { authorization: "Bearer secret-1" }]);
  expect([server.baseUrl, server.headers, server.query, server.addressFrom]).toEqual([
    "http://127.0.0.1:1/v1",
    { "x-team": "blue" },
    { v: "1" },
    '"baseUrl" of providers.local',
  ]);
  expect([given.compat, given.traits("small").images, given.traits("other").images]).toEqual([
    { stringToolContent: true },
    true,
    false,
  ]);
  expect(server.credentials.secrets()).toEqual(["secret-1"]);
});

test("an address of one's own is asked without a key if there is none; a vendor is not asked", async () => {
  const { dialect, asked } = fakeDialect();
  await ask({ model: "openai/m", env: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, ...chat(dialect) });
  await ask({ model: "ollama/m", env: { OLLAMA_HOST: "0.0.0.0:9999" }, ...chat(dialect) });
  await ask({ model: "ollama/m", env: {}, ...chat(dialect) });
  await ask({ model: "lmstudio/m", env: { LMSTUDIO_BASE_URL: "box" }, ...chat(dialect) });
  expect(asked.map(({ server, headers }) => [server.baseUrl, headers])).toEqual([
    ["http://127.0.0.1:1/v1", {}],
    ["http://127.0.0.1:9999/v1", {}],
    ["http://127.0.0.1:11434/v1", {}],
    ["http://box:1234/v1", {}],
  ]);
  for (const [model, message] of [
    ["openai/gpt-5", 'No key for "openai": set OPENAI_API_KEY, or run keelson auth login openai'],
    ["groq/x", 'No key for "groq": set GROQ_API_KEY, or run keelson auth login groq'],
    ["azure/x", 'No address for "azure": set AZURE_OPENAI_ENDPOINT'],
  ] as const)
    await expect(resolveModel({ model, env: {} })).rejects.toThrow(message);
});

test("a block without an address or an API is an error that names the setting", async () => {
  const blocks = { providers: { a: { api: "openai-chat" }, b: { baseUrl: "http://127.0.0.1:1" } } } as const;
  await expect(resolveModel({ model: "a/m", env: {}, settings: blocks })).rejects.toThrow(
    'Provider "a" has no "baseUrl"; add it to providers.a in your settings',
  );
  await expect(resolveModel({ model: "b/m", env: {}, settings: blocks })).rejects.toThrow(
    'Provider "b" has no "api"; add it to providers.b in your settings',
  );
});

test("openai speaks Responses at the vendor and Chat anywhere else; azure by its address", async () => {
  const [one, other] = [fakeDialect(), fakeDialect()];
  const dialects = { "openai-chat": one.dialect, "openai-responses": other.dialect };
  await ask({ model: "openai/gpt-5", env: { OPENAI_API_KEY: "key-12345" }, dialects });
  await ask({ model: "azure/d", env: azure("https://x.openai.azure.com/openai/v1"), dialects });
  await ask({ model: "openai/m", env: { OPENAI_API_KEY: "k", OPENAI_API_BASE: "http://127.0.0.1:1/v1" }, dialects });
  await ask({ model: "azure/d", env: { ...azure("https://x.openai.azure.com/"), OPENAI_API_VERSION: "v9" }, dialects });
  expect(other.asked.map(({ server, headers }) => [server.baseUrl, headers])).toEqual([
    ["https://api.openai.com/v1", { authorization: "Bearer key-12345" }],
    ["https://x.openai.azure.com/openai/v1", { "api-key": "azure-key" }],
  ]);
  expect(one.asked.map(({ server }) => [server.baseUrl, server.query])).toEqual([
    ["http://127.0.0.1:1/v1", {}],
    ["https://x.openai.azure.com", { "api-version": "v9" }],
  ]);
});

const azure = (endpoint: string) => ({ AZURE_OPENAI_API_KEY: "azure-key", AZURE_OPENAI_ENDPOINT: endpoint });

test("without a model, the one provider that is set up is used with its default or only model", async () => {
  const name = async (env: Record<string, string>, models: ListedModel[] = []) =>
    (await resolveModel({ env, ...chat(fakeDialect({ models }).dialect) })).profile.id;
  expect(await name({ GROQ_API_KEY: "k" })).toBe("groq/openai/gpt-oss-120b");
  expect(await name({ OLLAMA_HOST: "127.0.0.1" }, [{ id: "only" }])).toBe("ollama/only");
  expect(await name({})).toBe("keelson-offline");
  await expect(name({ OLLAMA_HOST: "127.0.0.1" }, [{ id: "a" }, { id: "b" }])).rejects.toThrow(
    'No model is chosen for "ollama", and it has 2 models; use --model ollama/ID (keelson models ollama lists them)',
  );
  await expect(name({ GROQ_API_KEY: "k", MISTRAL_API_KEY: "k" })).rejects.toThrow(
    "Several providers are set up: groq, mistral; choose a model with --model PROVIDER/ID",
  );
  // Anthropic's credentials come first.
  expect(await name({ GROQ_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toBe(resolveAlias("sonnet", {}));
});

test("a name without a provider is an error that says what was meant, unless nothing is set up", async () => {
  const name = async (model: string, env: Record<string, string> = {}) =>
    (await resolveModel({ model, env, settings, ...chat(fakeDialect().dialect) })).profile.id;
  const one = { GROQ_API_KEY: "k" };
  await expect(name("gpt-5")).rejects.toThrow('"gpt-5" is a model of openai; use --model openai/gpt-5');
  await expect(name("ollama", one)).rejects.toThrow(
    '"ollama" is a provider, not a model; use --model ollama/ID (keelson models ollama lists them)',
  );
  await expect(name("local")).rejects.toThrow('"local" is a provider, not a model; use --model local/ID');
  await expect(name("sonnet", one)).rejects.toThrow(
    '"sonnet" names no provider, which means Anthropic, and that is not set up; use --model groq/ID (keelson models groq lists them), or set ANTHROPIC_API_KEY',
  );
  await expect(name("gorq/x")).rejects.toThrow('Unknown provider "gorq"; did you mean "groq"?');
  expect([await name("sonnet"), await name("default", one)]).toEqual(["keelson-offline", "groq/openai/gpt-oss-120b"]);
});

test("the offline model says how to choose a server that only the settings know", async () => {
  expect((await resolveModel({ env: {}, settings })).announce).toBe(
    'No model is chosen, so the built-in offline model answers; use --model local/ID, or "model" in your settings.',
  );
});

test("a server that does not run is an error at once; so is https where the server speaks http", async () => {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  await expect(ask({ model: "ollama/m", env: { OLLAMA_HOST: "127.0.0.1:9" }, wait })).rejects.toThrow(
    "Nothing is listening at http://127.0.0.1:9; start the server, or check OLLAMA_HOST",
  );
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
  const url = `https://127.0.0.1:${server.port}`;
  await expect(ask({ model: "openai/m", env: { OPENAI_BASE_URL: `${url}/v1` }, wait })).rejects.toThrow(
    `${url} does not speak TLS (EPROTO); if it is an http server, use http:// in OPENAI_BASE_URL`,
  );
  expect(waits).toEqual([]);
});

test("a loss is told once per session, whichever model has it", async () => {
  const memory = { keys: new Map(), told: new Set<string>(), windows: new Map() };
  const { dialect } = fakeDialect({ losses: ["no pictures"] });
  const options = { model: "local/small", env: {}, settings, memory, ...chat(dialect) };
  const losses = async () =>
    (await ask(options)).filter((event) => event.type === "notice" && event.notice.type === "loss").length;
  expect([await losses(), await losses()]).toEqual([1, 0]);
});

test("a fallback model without a key is an error at once; one of Anthropic is left out", async () => {
  const { dialect, asked } = fakeDialect({ failures: [new ModelError("overloaded", "Overloaded", { status: 503 })] });
  const options = { model: "local/small", env: { CLAUDE_CODE_MAX_RETRIES: "0" }, settings, ...chat(dialect) };
  await expect(resolveModel({ ...options, fallbackModels: ["groq/x"] })).rejects.toThrow('No key for "groq"');
  await expect(ask({ ...options, fallbackModels: ["haiku"] })).rejects.toThrow("Overloaded");
  expect(asked.length).toBe(1);
});

test("a fallback model may be on another provider: foreign thinking is dropped, limits are its own", async () => {
  const overloaded = () => new ModelError("overloaded", "Overloaded", { status: 503 });
  const first = fakeDialect({ failures: [overloaded(), overloaded(), overloaded()] });
  const second = fakeDialect();
  const { provider, profile } = await resolveModel({
    model: "openai/gpt-5",
    fallbackModels: ["local/small"],
    env: { OPENAI_API_KEY: "k" },
    settings,
    dialects: { "openai-responses": first.dialect, "openai-chat": second.dialect },
    wait: async () => {},
  });
  const request: ModelRequest = {
    model: profile.id,
    max_tokens: profile.maxTokens,
    system: [],
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "kp1.x" },
          { type: "text", text: "ok" },
        ],
        reply: { model: "openai/gpt-5" },
      },
      { role: "user", content: "more" },
    ],
    tools: [],
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    betas: [],
  };
  const events = await Array.fromAsync(provider.stream(request, new AbortController().signal));
  expect(events).toContainEqual({
    type: "notice",
    notice: { type: "fallback", from: "openai/gpt-5", to: "local/small", reason: "overloaded" },
  });
  // Under the server's names.
  expect(first.asked[0]!.request.messages[1]!.reply).toEqual({ model: "gpt-5" });
  expect(second.asked[0]!.request).toMatchObject({
    model: "small",
    max_tokens: 1000,
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "text", text: "ok" }], reply: { model: "openai/gpt-5" } },
      { role: "user", content: "more" },
    ],
  });
  expect(second.asked[0]!.request.thinking).toBeUndefined();
  expect(events.at(-2)).toMatchObject({ message: { model: "local/small" } });
});
