import { expect, test } from "bun:test";
import type { ModelMessage } from "@keelson/protocol";
import { startVertexServer, thinkingStateOf, type DialectScript, type VertexServerOptions } from "@keelson/testkit";
import { requestTo } from "../conformance/replies.test-support.ts";
import { testDialect } from "../conformance/suite.test-support.ts";
import { anyTraits, collect, SECRET, type DialectUnderTest } from "../conformance/support.test-support.ts";
import type { Env } from "../profiles/profiles.ts";
import type { GoogleOutside } from "./google-credentials.ts";
import { vertexServer } from "./vertex-server.ts";
import { vertexDialect } from "./vertex.ts";

const PLACE = { project: "my-project", region: "europe-west1" };
const nowhere: GoogleOutside = {
  fetch: () => Promise.reject(new Error("no network")),
  readFile: async () => undefined,
  now: () => 0,
};

async function start(script: DialectScript, options: Partial<VertexServerOptions> = {}, more: Env = {}) {
  const server = await startVertexServer(script, { token: SECRET, ...PLACE, ...options });
  const env: Env = {
    GOOGLE_OAUTH_ACCESS_TOKEN: SECRET,
    ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: PLACE.project,
    CLOUD_ML_REGION: PLACE.region,
    ...more,
  };
  const asked = vertexServer(env, { outside: nowhere });
  const provider = vertexDialect.provider(asked, { traits: () => ({ ...anyTraits, thinking: "adaptive" }) });
  return { server, asked, provider, [Symbol.asyncDispose]: () => server.close() };
}

const state = (_: string, reply: number, block: number) => thinkingStateOf(reply, block);

const claude = (errors: "google" | "messages"): DialectUnderTest => ({
  name: `Claude on Vertex with errors of ${errors}`,
  model: "claude-opus-4-5@20251101",
  thinkingState: state,
  lacks: ["interleaved calls", "untold usage", ...(errors === "messages" ? (["timeouts"] as const) : [])],
  start: (script, options) => start(script, { errors, ...options }),
});
const gemini: DialectUnderTest = {
  name: "Gemini on Vertex",
  model: "gemini-3-pro-preview",
  thinkingState: state,
  lacks: ["interleaved calls", "broken arguments", "call ids", "cache writes"],
  start: (script, options) => start(script, options),
};

testDialect(claude("google"));
testDialect(claude("messages"));
testDialect(gemini);

const done = { blocks: [{ text: "done" }] };

test("Claude is asked without what Vertex does not know, and with betas in the header", async () => {
  await using vertex = await start([done]);
  const request = {
    ...requestTo(claude("google")),
    betas: ["one", "two", "one"],
    context_management: { edits: [] },
    thinking: { type: "adaptive" },
  };
  expect((await collect(vertex.provider, request)).error).toBeUndefined();
  const [sent] = vertex.server.requests;
  expect(sent!.path).toBe(
    "/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict",
  );
  expect(Object.keys(sent!.body).sort()).toEqual(
    ["anthropic_version", "max_tokens", "messages", "metadata", "stream", "system", "thinking", "tools"].sort(),
  );
  expect(sent!.headers["anthropic-beta"]).toBe("one,two");
});

test("thinking goes back to the same model, however the cloud spells its name", async () => {
  await using vertex = await start([{ blocks: [{ thinking: "hm" }, { text: "so" }] }, done]);
  const request = requestTo(claude("google"));
  const { blocks, model } = await collect(vertex.provider, request);
  expect(model).toBe("claude-opus-4-5-20251101");
  const messages: ModelMessage[] = [
    ...request.messages,
    { role: "assistant", content: blocks, reply: { model } },
    { role: "user", content: "go on" },
  ];
  expect((await collect(vertex.provider, { ...request, messages })).error).toBeUndefined();
  expect(vertex.server.requests[1]!.parts[1]).toEqual({ from: "assistant", state: thinkingStateOf(1, 0) });
});

test("tokens are counted for both kinds of models", async () => {
  const answers: Record<string, object> = { "count-tokens:rawPredict": { input_tokens: 12 } };
  const other = ({ path }: { path: string }) => ({
    status: 200,
    body: answers[path.split("/").at(-1)!] ?? { totalTokens: 34 },
  });
  await using vertex = await start([], { other });
  const { signal } = new AbortController();
  expect(await vertex.provider.countTokens!(requestTo(claude("google")), signal)).toBe(12);
  expect(await vertex.provider.countTokens!(requestTo(gemini), signal)).toBe(34);
  const [first, second] = vertex.server.others;
  expect(first!.body).toMatchObject({ model: "claude-opus-4-5@20251101", anthropic_version: "vertex-2023-10-16" });
  expect(second!.path).toEndWith("/publishers/google/models/gemini-3-pro-preview:countTokens");
  expect(Object.keys(second!.body)).toEqual(["contents", "systemInstruction", "tools"]);
});

test("the list has the models of both publishers", async () => {
  const names: Record<string, string[]> = {
    google: ["gemini-3-pro-preview", "text-bison"],
    anthropic: ["claude-opus-5-5"],
  };
  const other = ({ path }: { path: string }) => {
    const publisher = /^\/v1beta1\/publishers\/(\w+)\/models/.exec(path)![1]!;
    const publisherModels = names[publisher]!.map((name) => ({ name: `publishers/${publisher}/models/${name}` }));
    return { status: 200, body: { publisherModels } };
  };
  await using vertex = await start([], { other });
  const listed = await vertexDialect.list(vertex.asked, { signal: new AbortController().signal, timeoutMs: 5_000 });
  expect(listed).toEqual([{ id: "gemini-3-pro-preview" }, { id: "claude-opus-5-5" }]);
  expect(vertex.server.others[0]!.headers["x-goog-user-project"]).toBe("my-project");
});

test("without a project nothing is sent, and the error names the variable", async () => {
  await using vertex = await start([], {}, { ANTHROPIC_VERTEX_PROJECT_ID: "" });
  for (const dialect of [claude("google"), gemini]) {
    const { error } = await collect(vertex.provider, requestTo(dialect));
    expect(error).toMatchObject({
      kind: "invalid_request",
      message: "No Google Cloud project is set; set ANTHROPIC_VERTEX_PROJECT_ID or GOOGLE_CLOUD_PROJECT",
    });
  }
  expect(vertex.server.others).toEqual([]);
});

test("authorization can be left to a gateway", async () => {
  const more = { CLAUDE_CODE_SKIP_VERTEX_AUTH: "1" };
  await using vertex = await start([done, done], { token: undefined }, more);
  for (const dialect of [claude("google"), gemini])
    expect((await collect(vertex.provider, requestTo(dialect))).error).toBeUndefined();
});

test("a conversation moves from Gemini to Claude and back", async () => {
  await using vertex = await start([
    { blocks: [{ thinking: "hm" }, { call: { name: "Read", input: {} } }] },
    done,
    done,
  ]);
  const first = requestTo(gemini, { thinking: { type: "adaptive" } });
  const reply = await collect(vertex.provider, first);
  const messages: ModelMessage[] = [
    ...first.messages,
    { role: "assistant", content: reply.blocks, reply: { model: reply.model, callState: reply.callState } },
    { role: "user", content: [{ type: "tool_result", tool_use_id: reply.blocks[1].id, content: "x" }] },
  ];
  const { error } = await collect(vertex.provider, requestTo(claude("google"), { messages }));
  expect(error).toBeUndefined();
  expect(JSON.stringify(vertex.server.requests[1]!.body)).not.toMatch(/callState|kp1|state-/);
  expect((await collect(vertex.provider, { ...first, messages })).error).toBeUndefined();
  expect(vertex.server.requests[2]!.parts).toContainEqual({ from: "assistant", state: thinkingStateOf(1, 0) });
  expect(vertex.server.problems).toEqual([]);
});

test("betas that the server does not know are left out, once it has said so", async () => {
  const message = "Unexpected value(s) `two` for the `anthropic-beta` header";
  await using vertex = await start([{ failure: "invalid_request", message }, done, done]);
  const request = requestTo(claude("google"), { betas: ["one", "two"] });
  for (let time = 0; time < 2; time++) expect((await collect(vertex.provider, request)).error).toBeUndefined();
  expect(vertex.server.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual(["one,two", "one", "one"]);
});

test("one address for everything takes precedence over regions", async () => {
  await using vertex = await start([done, done]);
  const env = {
    ANTHROPIC_VERTEX_PROJECT_ID: PLACE.project,
    CLOUD_ML_REGION: PLACE.region,
    GOOGLE_OAUTH_ACCESS_TOKEN: SECRET,
  };
  const own = vertexServer(env, { outside: nowhere, baseUrl: `${vertex.server.url}/v1/` });
  const provider = vertexDialect.provider(own, { traits: () => anyTraits });
  for (const dialect of [claude("google"), gemini])
    expect((await collect(provider, requestTo(dialect))).error).toBeUndefined();
});

test("refused credentials are renewed, and the request is sent again with the new token", async () => {
  const user = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
  const tokens = ["old-token-1234", "new-token-1234"];
  const outside: GoogleOutside = {
    fetch: async () => Response.json({ access_token: tokens.shift(), expires_in: 3600 }),
    readFile: async () => JSON.stringify(user),
    now: () => 0,
    authRefresh: async () => true,
  };
  await using vertex = await start([done], { token: "new-token-1234" });
  const env = {
    HOME: "/home/me",
    ANTHROPIC_VERTEX_BASE_URL: `${vertex.server.url}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: PLACE.project,
    CLOUD_ML_REGION: PLACE.region,
  };
  const sent: (string | null)[] = [];
  const server = vertexServer(env, {
    outside,
    fetch: (url, init) => {
      const token = new Headers(init.headers).get("authorization");
      sent.push(token);
      const error = { code: 401, status: "UNAUTHENTICATED", message: `${token} has expired` };
      return token === "Bearer old-token-1234"
        ? Promise.resolve(Response.json({ error }, { status: 401 }))
        : fetch(url, init);
    },
  });
  const provider = vertexDialect.provider(server, { traits: () => anyTraits });
  expect((await collect(provider, requestTo(gemini))).error).toBeUndefined();
  expect(sent).toEqual(["Bearer old-token-1234", "Bearer new-token-1234"]);
});
