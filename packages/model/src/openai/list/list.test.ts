import { afterEach, expect, test } from "bun:test";
import { startChatServer, type DialectServer } from "@keelson/testkit";
import { bearerCredentials } from "../../conformance/support.test-support.ts";
import { chatDialect } from "../chat.ts";

const servers: DialectServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** The list from a server with these answers by path. */
async function listed(provider: string, answers: Readonly<Record<string, object>>, path = "/v1") {
  const server = await startChatServer([], {
    other: ({ method, path, body }) => {
      const answer = answers[`${method} ${path}`] ?? answers[`${method} ${path} ${body?.model}`];
      return answer ? { status: 200, body: answer } : undefined;
    },
  });
  servers.push(server);
  const address = { provider, baseUrl: server.url + path, addressFrom: "X", credentials: bearerCredentials };
  return chatDialect.list(address, { signal: new AbortController().signal, timeoutMs: 10_000 });
}

test("the vendor tells ids only", async () => {
  expect(await listed("openai", { "GET /v1/models": { data: [{ id: "gpt-5", object: "model" }] } })).toEqual([
    { id: "gpt-5" },
  ]);
});

test("models for speech, pictures and vectors are left out", async () => {
  const others = ["text-embedding-3-small", "whisper-1", "tts-1-hd", "gpt-image-1", "gpt-4o-mini-tts", "gpt-realtime"];
  const data = [...others, "gpt-4o-mini", "o3", "my-sora-talks"].map((id) => ({ id, object: "model" }));
  expect(await listed("openai", { "GET /v1/models": { data } })).toEqual([
    { id: "gpt-4o-mini" },
    { id: "o3" },
    { id: "my-sora-talks" },
  ]);
});

test("OpenRouter tells limits, prices and abilities", async () => {
  const model = {
    id: "a/b",
    context_length: 200_000,
    architecture: { input_modalities: ["text", "image"] },
    pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
    top_provider: { context_length: 180_000, max_completion_tokens: 64_000 },
    supported_parameters: ["tools", "reasoning"],
  };
  const router = { id: "router", pricing: { prompt: "-1", completion: "-1" } };
  expect(await listed("openrouter", { "GET /v1/models": { data: [model, router] } })).toEqual([
    {
      id: "a/b",
      contextWindow: 180_000,
      maxTokens: 64_000,
      images: true,
      thinking: true,
      price: { input: 3, output: 15, cacheRead: 0.3 },
    },
    { id: "router" },
  ]);
});

test("vLLM, Groq and Mistral tell the window in words of their own", async () => {
  const data = [
    { id: "v", owned_by: "vllm", max_model_len: 32_768 },
    { id: "g", context_window: 131_072, max_completion_tokens: 8_192 },
    { id: "m", max_context_length: 65_536, capabilities: { vision: true } },
  ];
  expect(await listed("local", { "GET /v1/models": { data } })).toEqual([
    { id: "v", contextWindow: 32_768 },
    { id: "g", contextWindow: 131_072, maxTokens: 8_192 },
    { id: "m", contextWindow: 65_536, images: true },
  ]);
});

test("llama.cpp tells the context it was started with", async () => {
  const data = [{ id: "x.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }];
  const props = { default_generation_settings: { n_ctx: 8_192 }, modalities: { vision: false } };
  expect(await listed("local", { "GET /v1/models": { data }, "GET /props": props })).toEqual([
    { id: "x.gguf", contextWindow: 8_192, images: false },
  ]);
  expect(await listed("local", { "GET /v1/models": { data } })).toEqual([{ id: "x.gguf" }]);
});

test("LM Studio tells how a model was loaded", async () => {
  const data = [{ id: "q" }, { id: "e" }, { id: "other" }];
  const told = {
    data: [
      { id: "q", type: "vlm", loaded_context_length: 4_096, max_context_length: 131_072 },
      { id: "e", type: "embeddings" },
    ],
  };
  expect(await listed("lmstudio", { "GET /v1/models": { data }, "GET /api/v0/models": told })).toEqual([
    { id: "q", contextWindow: 4_096, images: true },
    { id: "other" },
  ]);
});

test("Ollama tells what it allocated, else what was set, else what the model could do", async () => {
  const names = ["loaded:8b", "set:8b", "other:8b", "gone:8b"];
  const info = { "qwen3.context_length": 262_144 };
  expect(
    await listed("ollama", {
      "GET /api/tags": { models: names.map((name) => ({ name, model: name })) },
      "GET /api/ps": { models: [{ name: "loaded:8b", model: "loaded:8b", context_length: 4_096 }] },
      "POST /api/show loaded:8b": { model_info: info, capabilities: ["completion", "tools", "thinking"] },
      "POST /api/show set:8b": { model_info: info, parameters: "stop x\nnum_ctx    8192", capabilities: ["vision"] },
      "POST /api/show other:8b": { model_info: info },
    }),
  ).toEqual([
    { id: "loaded:8b", contextWindow: 4_096, images: false, thinking: true },
    { id: "set:8b", contextWindow: 8_192, images: true, thinking: false },
    { id: "other:8b", contextWindow: 262_144 },
    { id: "gone:8b" },
  ]);
});

test("a list that cannot be had is a ModelError", async () => {
  await expect(listed("openai", {})).rejects.toMatchObject({ name: "ModelError", kind: "model_not_found" });
  await expect(listed("openai", { "GET /v1/models": { no: "list" } })).rejects.toMatchObject({ name: "ModelError" });
});
