// Sessions on Gemini and on Vertex AI, through the real program: tools, signatures that survive a resume, conversations
// that move between providers, and Google's credentials.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  runKeelson,
  startGeminiServer,
  startMockModel,
  startVertexServer,
  temporaryHome,
  type DialectServer,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";

const KEY = "gemini-secret-key-1234";
const SKIP = "skip_thought_signature_validator";
const read = (home: TemporaryHome, name: string) => ({
  call: { name: "Read", input: { file_path: `${home.project}/${name}` } },
});
const text = (words: string) => ({ blocks: [{ text: words }] });
const geminiEnv = (server: DialectServer) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: server.url });

function written({ root }: TemporaryHome): string {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

const signaturesIn = ({ body }: DialectServer["requests"][number]) =>
  body.contents.flatMap(({ parts }: any) =>
    parts.flatMap((part: any) => (part.functionCall ? [part.thoughtSignature ?? null] : [])),
  );

test("Gemini thinks, calls tools in parallel, and gets its signatures back, also after a resume", async () => {
  using home = temporaryHome();
  home.write("a.txt", "first content\n");
  home.write("b.txt", "second content\n");
  await using server = await startGeminiServer(
    [
      { blocks: [{ thinking: "two files" }, read(home, "a.txt"), read(home, "b.txt")] },
      { blocks: [{ text: "Both read" }], usage: { input: 900, cacheRead: 500, output: 70, reasoning: 20 } },
      text("Again"),
    ],
    { ids: true },
  );
  const env = geminiEnv(server);
  const args = ["--model", "gemini/gemini-3-pro-preview", ...STREAM];

  const ended = await runKeelson(["-p", "read both", ...args], { home, env });
  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "Both read" });
  const [, second] = server.requests;
  expect(second!.parts.slice(-5)).toMatchObject([
    { state: "state-1-0" },
    { call: { name: "Read" } },
    { call: { name: "Read" } },
    { result: { text: expect.stringContaining("first content") } },
    { result: { text: expect.stringContaining("second content") } },
  ]);
  const thoughts = messagesOf(ended, "assistant")
    .flatMap(({ message }) => message.content)
    .filter(({ type }) => type === "thinking");
  expect(thoughts).toMatchObject([{ thinking: "two files" }]);
  expect(ended.stdout).not.toContain("state-1-0");

  const resumed = await runKeelson(["-p", "and?", "--continue", ...args], { home, env });
  expect([resultOf(resumed).result, server.problems]).toEqual(["Again", []]);
  expect(signaturesIn(server.requests[2]!)).toEqual(["state-1-0", null]);
  expect(ended.stdout + written(home)).not.toContain(KEY);
});

test("a conversation moves from Anthropic to Gemini and back", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  const call = { name: "Read", input: { file_path: `${home.project}/a.txt` } };
  await using model = await startMockModel([{ calls: [call] }, { text: "read" }, { text: "back" }]);
  await using server = await startGeminiServer([{ blocks: [{ thinking: "hm" }, read(home, "a.txt")] }, text("moved")]);
  const anthropic = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "anthropic-key" };
  const env = { ...anthropic, ...geminiEnv(server) };

  await runKeelson(["-p", "read it", ...STREAM], { home, env });
  const moved = await runKeelson(["-p", "on", "--continue", "--model", "gemini/gemini-3-pro-preview", ...STREAM], {
    home,
    env,
  });
  expect([moved.code, resultOf(moved).result, server.problems]).toEqual([0, "moved", []]);
  expect(server.requests.map(signaturesIn)).toEqual([[SKIP], [SKIP, "state-1-0"]]);

  const back = await runKeelson(["-p", "back", "--continue", "--model", "sonnet", ...STREAM], { home, env });
  expect(resultOf(back).result).toBe("back");
  const { messages } = model.requests[2]!.body;
  expect(JSON.stringify(messages)).not.toMatch(/state-1-0|kp1\.|callState|thinking/);
  expect(messages.filter(({ content }: any) => JSON.stringify(content).includes("tool_use_id"))).toHaveLength(2);
});

/** A service that gives tokens, and what it was asked. */
async function startTokens() {
  const asked: { readonly path: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token: `google-token-${asked.length}`, expires_in: 3600 }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, asked, [Symbol.dispose]: () => void server.close() };
}

const PLACE = { project: "my-project", region: "europe-west1" };
const vertexEnv = (server: DialectServer, host: string) => ({
  ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
  ANTHROPIC_VERTEX_PROJECT_ID: PLACE.project,
  CLOUD_ML_REGION: PLACE.region,
  GCE_METADATA_HOST: host,
});

test("Claude on Vertex AI, with a token of the machine", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  using tokens = await startTokens();
  await using server = await startVertexServer(
    [{ blocks: [{ thinking: "let me look" }, read(home, "a.txt")] }, text("It says: the content")],
    { ...PLACE, token: "google-token-1" },
  );
  const env = { CLAUDE_CODE_USE_VERTEX: "1", ...vertexEnv(server, tokens.host) };
  const ended = await runKeelson(["-p", "what is in a.txt?", ...STREAM], { home, env });
  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "It says: the content" });
  expect(messagesOf(ended, "system/init")[0].model).toBe("claude-opus-5-5");
  expect(server.requests[1]!.parts.slice(-3)).toMatchObject([
    { state: "state-1-0" },
    { call: { name: "Read" } },
    { result: { text: expect.stringContaining("the content") } },
  ]);
  expect(tokens.asked).toMatchObject([{ headers: { "metadata-flavor": "Google" } }]);
  expect(ended.stdout + written(home)).not.toContain("google-token");
});

test("Gemini on Vertex AI; refused credentials are renewed by the command of the settings", async () => {
  using home = temporaryHome();
  using tokens = await startTokens();
  const marker = `${home.root}/refreshed`;
  home.settings({ gcpAuthRefresh: `touch ${marker}` });
  await using server = await startVertexServer(
    [{ failure: "authentication_failed", message: "google-token-1 has expired" }, text("done")],
    { ...PLACE, tokens: ["google-token-1", "google-token-2"] },
  );
  const args = ["-p", "hi", "--model", "vertex/gemini-3-pro-preview", ...STREAM];
  const ended = await runKeelson(args, { home, env: vertexEnv(server, tokens.host) });
  expect([ended.code, resultOf(ended).result, server.problems]).toEqual([0, "done", []]);
  expect(readFileSync(marker, "utf8")).toBe("");
  expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer google-token-1",
    "Bearer google-token-2",
  ]);
});

test("keelson models lists what Gemini offers, with the limits that it tells", async () => {
  using home = temporaryHome();
  const model = (name: string, more: object) => ({
    name: `models/${name}`,
    supportedGenerationMethods: ["generateContent"],
    ...more,
  });
  await using server = await startGeminiServer([], {
    other: ({ path, headers }) => ({
      status: path.startsWith("/v1beta/models?") && headers["x-goog-api-key"] === KEY ? 200 : 403,
      body: {
        models: [model("gemini-new", { inputTokenLimit: 2_000_000, outputTokenLimit: 100_000, thinking: true })],
      },
    }),
  });
  const ended = await runKeelson(["models", "gemini", "--json"], { home, env: geminiEnv(server) });
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  expect(JSON.parse(ended.stdout)).toMatchObject([
    { id: "gemini-new", provider: "gemini", contextWindow: 2_000_000, maxTokens: 100_000, price: null },
  ]);
});
