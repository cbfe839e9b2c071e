// The context window that a local server really has, from servers that speak Chat Completions.

import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import { startChatServer } from "@keelson/testkit";
import { resolveModel, type ResolveOptions } from "../../resolve.ts";

const reply = { blocks: [{ text: "ok" }] };

/** Tells when the window of a model becomes known. */
class Windows extends Map<string, number> {
  readonly #known = Promise.withResolvers<void>();
  readonly known = this.#known.promise;

  override set(name: string, window: number): this {
    this.#known.resolve();
    return super.set(name, window);
  }
}

/** Asks twice, and returns the notices and the window before and after. */
async function askTwice(options: ResolveOptions) {
  const windows = new Windows();
  const memory = { keys: new Map(), told: new Set<string>(), windows };
  const { provider, profile } = await resolveModel({ ...options, memory });
  const before = profile.contextWindow;
  const losses: string[] = [];
  for (let at = 0; at < 2; at++) {
    const request: ModelRequest = {
      model: profile.id,
      max_tokens: profile.maxTokens,
      system: [],
      messages: [{ role: "user", content: "hi" }],
      tools: [],
      betas: [],
    };
    for await (const event of provider.stream(request, new AbortController().signal))
      if (event.type === "notice" && event.notice.type === "loss") losses.push(event.notice.text);
    // The question is answered beside the first reply.
    await windows.known;
  }
  return { before, after: profile.contextWindow, losses };
}

test("a window can be asked for before the first request", async () => {
  const other = answering("/v1/models", { data: [{ id: "m", max_model_len: 40_000 }] });
  await using server = await startChatServer([], { other });
  const { profile } = await resolveModel({
    env: {},
    model: "local/m",
    settings: { providers: { local: { api: "openai-chat", baseUrl: `${server.url}/v1` } } },
    memory: { keys: new Map(), told: new Set<string>(), windows: new Map() },
  });
  expect(profile.contextWindow).toBe(128_000);
  await profile.measureWindow?.();
  await profile.measureWindow?.();
  expect([profile.contextWindow, server.others.length]).toEqual([40_000, 1]);
});

const answering = (path: string, body: object) => (request: { path: string }) =>
  request.path === path ? { status: 200, body } : undefined;

test("Ollama tells how much context a loaded model has, and little is a warning, once", async () => {
  const other = answering("/api/ps", { models: [{ name: "qwen:latest", context_length: 4096 }] });
  await using server = await startChatServer([reply, reply], { other });
  expect(await askTwice({ model: "ollama/qwen", env: { OLLAMA_HOST: server.url } })).toEqual({
    before: 128_000,
    after: 4096,
    losses: [
      "ollama/qwen has a context window of 4096 tokens here, which is little for agent work; raise OLLAMA_CONTEXT_LENGTH",
    ],
  });
  // A reply may take half of it at most.
  expect(server.requests.map(({ maxTokens }) => maxTokens)).toEqual([16_384, 2048]);
});

test.each([
  ["vLLM", "/v1/models", { data: [{ id: "m", max_model_len: 40_000 }] }, 40_000],
  ["LiteLLM", "/v1/models", { data: [{ id: "m", context_window: 50_000 }, { id: "n" }] }, 50_000],
])("%s tells it in its list of models", async (_, path, body, window) => {
  await using server = await startChatServer([reply, reply], { other: answering(path, body) });
  const settings = { providers: { local: { api: "openai-chat", baseUrl: `${server.url}/v1` } } } as const;
  expect(await askTwice({ model: "local/m", env: {}, settings })).toEqual({
    before: 128_000,
    after: window,
    losses: [],
  });
  expect(server.others.map((request) => request.path)).toEqual([path]);
});

test("a warning comes with the first reply, however short it is", async () => {
  const other = answering("/api/ps", { models: [{ name: "qwen:latest", context_length: 4096 }] });
  await using server = await startChatServer([reply], { other });
  const { provider, profile } = await resolveModel({ model: "ollama/qwen", env: { OLLAMA_HOST: server.url } });
  const messages = [{ role: "user", content: "hi" }] as const;
  const request: ModelRequest = { model: profile.id, max_tokens: 100, system: [], messages, tools: [], betas: [] };
  const events = await Array.fromAsync(provider.stream(request, new AbortController().signal));
  expect(events.filter(({ type }) => type === "notice").length).toBe(1);
});

test("what the user says is the limit, and a server may have less", async () => {
  const window = async (max_model_len: number) => {
    const other = answering("/v1/models", { data: [{ id: "m", max_model_len }] });
    await using server = await startChatServer([reply, reply], { other });
    const models = { m: { contextWindow: 60_000 } };
    const settings = { providers: { local: { api: "openai-chat", baseUrl: `${server.url}/v1`, models } } } as const;
    return (await askTwice({ model: "local/m", env: {}, settings })).after;
  };
  expect([await window(90_000), await window(40_000)]).toEqual([60_000, 40_000]);
});
