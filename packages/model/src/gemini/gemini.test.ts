import { expect, test } from "bun:test";
import { startGeminiServer, thinkingStateOf, type GeminiServerOptions } from "@keelson/testkit";
import { requestTo } from "../conformance/replies.test-support.ts";
import { testDialect } from "../conformance/suite.test-support.ts";
import { SECRET, type DialectUnderTest } from "../conformance/support.test-support.ts";
import { serverAt, startGemini } from "./gemini.test-support.ts";
import { geminiDialect } from "./gemini.ts";

function under(model: string, options: GeminiServerOptions = {}): DialectUnderTest {
  return {
    name: `${model}${options.ids ? " with ids" : ""}`,
    model,
    thinkingState: (_, reply, block) => thinkingStateOf(reply, block),
    lacks: ["interleaved calls", "broken arguments", "call ids", "cache writes"],
    start: (script, more) => startGemini(script, { ...options, ...more }),
  };
}

const dialects = [
  under("gemini-3-pro-preview"),
  under("gemini-3-flash-preview", { ids: true }),
  under("gemini-2.5-pro"),
];
for (const dialect of dialects) testDialect(dialect);

test("the key is in a header, never in the address, and the version is added to an address without one", async () => {
  await using gemini = await startGemini([{ blocks: [] }, { blocks: [] }]);
  const request = requestTo(dialects[0]!);
  for await (const _ of gemini.provider.stream(request, new AbortController().signal));
  expect(gemini.server.requests[0]).toMatchObject({
    path: "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": SECRET },
  });
  const versioned = geminiDialect.provider(serverAt(`${gemini.server.url}/proxy/v1alpha`), {
    traits: () => ({
      ...{ contextWindow: 1, maxTokens: 0, images: true, documents: true },
      thinking: "none",
      efforts: [],
      reasons: false,
    }),
  });
  for await (const _ of versioned.plain(request, new AbortController().signal));
  expect(gemini.server.requests[1]!.path).toBe("/proxy/v1alpha/models/gemini-3-pro-preview:generateContent");
});

test("tokens are counted by the server, with everything that the request would send", async () => {
  await using server = await startGeminiServer([], { other: () => ({ status: 200, body: { totalTokens: 1234 } }) });
  await using gemini = await startGemini([], { other: () => ({ status: 404, body: {} }) });
  const { provider } = gemini;
  const counting = geminiDialect.provider(serverAt(server.url), {
    traits: () => ({
      ...{ contextWindow: 1, maxTokens: 0, images: true, documents: true },
      thinking: "none",
      efforts: [],
      reasons: false,
    }),
  });
  const signal = new AbortController().signal;
  const request = requestTo(dialects[0]!);
  expect(await counting.countTokens!(request, signal)).toBe(1234);
  expect(server.others[0]).toMatchObject({
    path: "/v1beta/models/gemini-3-pro-preview:countTokens",
    body: {
      generateContentRequest: {
        model: "models/gemini-3-pro-preview",
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
        systemInstruction: { parts: [{ text: "be brief" }] },
        tools: [{ functionDeclarations: [{ name: "Read" }, { name: "Bash" }] }],
      },
    },
  });
  expect(await provider.countTokens!(request, signal)).toBeUndefined();
  await expect(provider.countTokens!(request, AbortSignal.abort())).rejects.toMatchObject({ kind: "aborted" });
});

test("the list has the limits of models that can chat, from all pages", async () => {
  const pages: Record<string, object> = {
    "": {
      models: [
        {
          name: "models/gemini-3-pro-preview",
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ["generateContent", "countTokens"],
          thinking: true,
        },
        { name: "models/text-embedding-004", supportedGenerationMethods: ["embedContent"] },
      ],
      nextPageToken: "two",
    },
    two: { models: [{ name: "models/gemma-3-27b-it", supportedGenerationMethods: ["generateContent"] }, {}] },
  };
  await using server = await startGeminiServer([], {
    other: ({ path }) => ({ status: 200, body: pages[new URL(path, "http://x").searchParams.get("pageToken") ?? ""]! }),
  });
  const options = { signal: new AbortController().signal, timeoutMs: 5_000 };
  expect(await geminiDialect.list(serverAt(server.url), options)).toEqual([
    { id: "gemini-3-pro-preview", contextWindow: 1_048_576, maxTokens: 65_536, thinking: true },
    { id: "gemma-3-27b-it" },
  ]);
  expect(server.others.map(({ method }) => method)).toEqual(["GET", "GET"]);
});
