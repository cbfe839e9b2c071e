import { expect, test } from "bun:test";
import { ModelError } from "@keelson/engine";
import { encodeEvent, encodeException, encodeFrame, startBedrockServer } from "@keelson/testkit";
import { anyTraits, collect, SECRET } from "../conformance/support.test-support.ts";
import type { Server } from "../http/server.ts";
import { bedrockCredentials } from "./aws-credentials.ts";
import { bedrockDialect } from "./bedrock.ts";
import { CLAUDE, DONE, LLAMA, NOVA, outsideOf, requestTo, startBedrock } from "./bedrock.test-support.ts";
import { bedrockServer } from "./bedrock-server.ts";
import { bedrockError } from "./errors.ts";

test("Claude is asked in the format of the Messages API, without what Bedrock refuses", async () => {
  await using world = await startBedrock([DONE]);
  const request = requestTo(CLAUDE, {
    betas: ["claude-code-1", "interleaved-thinking-2025-05-14", "effort-2025-11-24", "tool-search-tool-2025-10-19"],
    context_management: { edits: [] },
    thinking: { type: "adaptive" },
  });
  const reply = await collect(world.provider, request);
  expect({ error: reply.error, model: reply.model }).toEqual({ error: undefined, model: "claude-sonnet-4-5-20250929" });
  const [{ path, body, headers }] = world.server.requests as [(typeof world.server.requests)[0]];
  expect(path).toBe(`/model/${CLAUDE}/invoke-with-response-stream`);
  expect(body).toEqual({
    anthropic_version: "bedrock-2023-05-31",
    anthropic_beta: ["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"],
    max_tokens: 1_000,
    thinking: { type: "adaptive" },
    messages: [{ role: "user", content: "hi" }],
  });
  expect(headers["anthropic-beta"]).toBe("claude-code-1,effort-2025-11-24");
  expect(reply.events.at(-1)).toEqual({ type: "message_stop" });
});

test("what the user adds to every body is merged, and so are its betas", async () => {
  await using world = await startBedrock([DONE], {
    extraBody: { anthropic_beta: ["context-1m-2025-08-07"], metadata: {} },
  });
  await collect(world.provider, requestTo(CLAUDE, { betas: ["interleaved-thinking-2025-05-14"] }));
  expect(world.server.requests[0]!.body).toMatchObject({
    anthropic_version: "bedrock-2023-05-31",
    anthropic_beta: ["interleaved-thinking-2025-05-14", "context-1m-2025-08-07"],
    metadata: {},
  });
});

test("a whole reply is asked for at /invoke", async () => {
  await using world = await startBedrock([DONE]);
  expect((await collect(world.provider, requestTo(CLAUDE), { how: "plain" })).blocks).toEqual([
    { type: "text", text: "done" },
  ]);
  expect(world.server.requests[0]!.path).toBe(`/model/${CLAUDE}/invoke`);
});

test("a model that refuses betas or how thinking is shown is asked once more without, and remembered", async () => {
  await using world = await startBedrock([DONE, DONE], { refusesBetas: true });
  const thinking = { type: "enabled", budget_tokens: 2_000, display: "omitted" };
  const request = requestTo(CLAUDE, { betas: ["interleaved-thinking-2025-05-14"], thinking, max_tokens: 4_000 });
  for (let times = 0; times < 2; times++) expect((await collect(world.provider, request)).error).toBeUndefined();
  expect(world.server.problems).toEqual(["invalid beta flag"]);
  expect(world.server.requests.map(({ body }) => [body.anthropic_beta, body.thinking])).toEqual(
    [1, 2].map(() => [undefined, { type: "enabled", budget_tokens: 2_000 }]),
  );
});

test("a request that is refused for another reason is not remembered as one with betas", async () => {
  const wrong = { failure: "invalid_request" } as const;
  await using world = await startBedrock([wrong, wrong, DONE]);
  const request = requestTo(CLAUDE, { betas: ["interleaved-thinking-2025-05-14"] });
  expect((await collect(world.provider, request)).error?.kind).toBe("invalid_request");
  expect((await collect(world.provider, request)).error).toBeUndefined();
  expect(world.server.requests.map(({ body }) => body.anthropic_beta?.length ?? 0)).toEqual([1, 0, 1]);
});

test("a prompt that is too long is not asked again with fewer betas", async () => {
  await using world = await startBedrock([{ failure: "prompt_too_long" }]);
  const { error } = await collect(world.provider, requestTo(CLAUDE, { betas: ["interleaved-thinking-2025-05-14"] }));
  expect([error?.kind, world.server.requests.length]).toEqual(["prompt_too_long", 1]);
});

const KEYS = { accessKeyId: "AKIDTEST", secretAccessKey: SECRET, region: "eu-west-1" };
const VARIABLES = { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: "eu-west-1" };
const PROFILE = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-5-5";
const OTHER = "arn:aws:bedrock:eu-west-1:123456789012:provisioned-model/abc/def";

test.each([
  [CLAUDE, `/model/${CLAUDE}/invoke-with-response-stream`],
  [PROFILE, `/model/${PROFILE.replace("/", "%2F")}/invoke-with-response-stream`],
  [NOVA, "/model/us.amazon.nova-pro-v1%3A0/converse-stream"],
  [
    "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-lite-v1:0",
    `/model/${encodeURIComponent("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-lite-v1:0")}/converse-stream`,
  ],
])("the address of %s is signed as it is sent", async (model, path) => {
  const credentials = bedrockCredentials(VARIABLES, "eu-west-1", outsideOf());
  await using world = await startBedrock([DONE], { keys: KEYS, client: { credentials } });
  expect((await collect(world.provider, requestTo(model))).error).toBeUndefined();
  expect(world.server.problems).toEqual([]);
  expect(world.server.requests[0]).toMatchObject({ path, model });
});

test("an ARN that does not tell its model is asked as Claude; one that is not Claude is remembered", async () => {
  await using claude = await startBedrock([DONE], { isClaude: () => true });
  expect((await collect(claude.provider, requestTo(OTHER))).error).toBeUndefined();
  await using other = await startBedrock([DONE, DONE], { isClaude: () => false });
  for (let times = 0; times < 2; times++)
    expect((await collect(other.provider, requestTo(OTHER))).error).toBeUndefined();
  expect(other.server.problems).toHaveLength(1);
  expect(other.server.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
    "converse-stream",
    "converse-stream",
  ]);
});

test("thinking behind an ARN goes back to the model that the server named", async () => {
  const thought = { blocks: [{ thinking: "hmm" }, { text: "so" }] };
  await using world = await startBedrock([thought, DONE, DONE], { isClaude: () => true });
  const first = requestTo(OTHER);
  const { blocks, model } = await collect(world.provider, first);
  const again = requestTo(OTHER, {
    messages: [
      ...first.messages,
      { role: "assistant", content: blocks, reply: { model } },
      { role: "user", content: "go" },
    ],
  });
  expect((await collect(world.provider, again)).error).toBeUndefined();
  expect(world.server.requests[1]!.parts).toContainEqual({ from: "assistant", state: "state-1-0" });
});

test("the small model has a region of its own, in its address and in its signature", async () => {
  const small = { ...KEYS, region: "us-west-2" };
  await using main = await startBedrockServer([DONE], { keys: KEYS });
  await using other = await startBedrockServer([DONE], { keys: small });
  const env = { ...VARIABLES, ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: "us-west-2" };
  const server = await bedrockServer(env, { outside: outsideOf() });
  expect([server.baseUrl, server.placeOf!("us.anthropic.claude-haiku-4-5").baseUrl]).toEqual([
    "https://bedrock-runtime.eu-west-1.amazonaws.com",
    "https://bedrock-runtime.us-west-2.amazonaws.com",
  ]);
  const onLoopback: Server = {
    ...server,
    placeOf(model) {
      const place = server.placeOf!(model);
      return { ...place, baseUrl: place.region === "us-west-2" ? other.url : main.url };
    },
  };
  const provider = bedrockDialect.provider(onLoopback, { traits: () => anyTraits });
  for (const model of [CLAUDE, "us.anthropic.claude-haiku-4-5-20251001-v1:0"])
    expect((await collect(provider, requestTo(model))).error).toBeUndefined();
  expect([main.requests.length, other.requests.length]).toEqual([1, 1]);
});

test("refused credentials are renewed, and the request is signed anew", async () => {
  let id = "AKIDOLD";
  const exported = () =>
    JSON.stringify({ Credentials: { AccessKeyId: id, SecretAccessKey: SECRET, SessionToken: "session-secret" } });
  const outside = outsideOf({
    credentialExport: async () => exported(),
    authRefresh: async () => ((id = "AKIDNEW"), true),
  });
  const credentials = bedrockCredentials({}, "eu-west-1", outside);
  const refused = {
    failure: "authentication_failed",
    message: `Token session-secret of ${SECRET} is invalid`,
  } as const;
  const signers: (string | undefined)[] = [];
  await using world = await startBedrock(
    [refused, DONE, refused, refused].map((step) => ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      signers.push(/Credential=(\w+)/.exec(headers["authorization"]!)?.[1]);
      return step;
    }),
    { bearer: undefined, client: { credentials } },
  );
  expect((await collect(world.provider, requestTo(NOVA))).error).toBeUndefined();
  const { error } = await collect(world.provider, requestTo(CLAUDE));
  expect(error).toMatchObject({ kind: "authentication_failed", message: "Token *** of *** is invalid" });
  expect(signers).toEqual(["AKIDOLD", "AKIDNEW", "AKIDNEW", "AKIDNEW"]);
});

const STREAM = { "content-type": "application/vnd.amazon.eventstream" };
const start = encodeEvent("messageStart", { role: "assistant" });
const text = encodeEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "x" } });

test.each([
  ["throttlingException", "rate_limit"],
  ["modelStreamErrorException", "server_error"],
  ["serviceUnavailableException", "overloaded"],
  ["internalServerException", "server_error"],
  ["modelTimeoutException", "timeout"],
  ["validationException", "invalid_request"],
])("%s in a stream is of the kind %s", async (name, kind) => {
  for (const model of [CLAUDE, LLAMA]) {
    await using world = await startBedrock([
      { raw: { headers: STREAM, frames: [start, text, encodeException(name, "why")] } },
    ]);
    const { error } = await collect(world.provider, requestTo(model));
    expect(error).toMatchObject({ kind, message: "why", apiType: name });
  }
});

test("an error without an exception is read from its headers", async () => {
  const frame = encodeFrame(
    { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": SECRET },
    "",
  );
  await using world = await startBedrock([{ raw: { headers: STREAM, frames: [frame] } }]);
  expect((await collect(world.provider, requestTo(LLAMA))).error).toMatchObject({
    kind: "server_error",
    message: "***",
  });
});

test("a wrong checksum is a cut stream", async () => {
  const wrong = Uint8Array.from(text);
  wrong[wrong.length - 1]! ^= 1;
  for (const model of [CLAUDE, LLAMA]) {
    await using world = await startBedrock([{ raw: { headers: STREAM, frames: [start, wrong] } }]);
    expect((await collect(world.provider, requestTo(model))).error?.kind).toBe("stream_cut");
  }
});

test("a gateway may answer with server-sent events", async () => {
  const events = [
    {
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", model: "x", content: [], usage: {} },
    },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  await using world = await startBedrock([{ raw: { headers: { "content-type": "text/event-stream" }, frames } }]);
  const reply = await collect(world.provider, requestTo(CLAUDE));
  expect([reply.error, reply.stop]).toEqual([undefined, "end_turn"]);
});

const kindOf = (status: number, name: string | undefined, message: string) =>
  bedrockError({
    status,
    statusText: "",
    headers: new Headers(name ? { "x-amzn-errortype": `${name}:http://internal/` } : {}),
    body: JSON.stringify({ message }),
  }).kind;

test.each([
  [403, "UnrecognizedClientException", "x", "authentication_failed"],
  [403, "InvalidSignatureException", "x", "authentication_failed"],
  [403, "ExpiredTokenException", "x", "authentication_failed"],
  [403, "AccessDeniedException", "x", "authentication_failed"],
  [403, undefined, "x", "authentication_failed"],
  [401, undefined, "x", "authentication_failed"],
  [429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit"],
  [400, "ServiceQuotaExceededException", "x", "rate_limit"],
  [429, undefined, "x", "rate_limit"],
  [503, "ServiceUnavailableException", "x", "overloaded"],
  [429, "ModelNotReadyException", "x", "overloaded"],
  [503, undefined, "x", "overloaded"],
  [500, "InternalServerException", "x", "server_error"],
  [424, "ModelErrorException", "x", "server_error"],
  [424, "ModelStreamErrorException", "x", "server_error"],
  [424, undefined, "x", "server_error"],
  [404, "ResourceNotFoundException", "x", "model_not_found"],
  [404, undefined, "x", "model_not_found"],
  [400, "ValidationException", "The provided model identifier is invalid.", "model_not_found"],
  [400, "ValidationException", "Input is too long for requested model.", "prompt_too_long"],
  [400, "ValidationException", "prompt is too long: 200001 tokens > 200000 maximum", "prompt_too_long"],
  [400, "ValidationException", "x", "invalid_request"],
  [408, "ModelTimeoutException", "x", "timeout"],
  [408, undefined, "x", "timeout"],
] as const)("HTTP %d %s with %p is %s", (status, name, message, kind) => {
  expect(kindOf(status, name, message)).toBe(kind);
});

test("a redirect is not followed", () => {
  const headers = new Headers({ location: "https://elsewhere.example" });
  const error = bedrockError({ status: 307, statusText: "", headers, body: "" });
  expect(error).toBeInstanceOf(ModelError);
  expect(error.message).toContain("set ANTHROPIC_BEDROCK_BASE_URL to the final URL");
});

test("tokens are counted for the model, not for its inference profile", async () => {
  const other = () => ({ status: 200, body: { inputTokens: 42 } });
  await using world = await startBedrock([], { other });
  const { signal } = new AbortController();
  expect(await world.provider.countTokens!(requestTo(CLAUDE), signal)).toBe(42);
  expect(await world.provider.countTokens!(requestTo(NOVA), signal)).toBe(42);
  const [claude, nova] = world.server.others;
  expect(claude!.path).toBe("/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens");
  expect(JSON.parse(Buffer.from(claude!.body.input.invokeModel.body, "base64").toString())).toEqual({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1_000,
    messages: [{ role: "user", content: "hi" }],
  });
  expect(nova).toMatchObject({
    path: "/model/amazon.nova-pro-v1%3A0/count-tokens",
    body: { input: { converse: { messages: [{ role: "user", content: [{ text: "hi" }] }] } } },
  });
  await using refusing = await startBedrock([]);
  expect(await refusing.provider.countTokens!(requestTo(NOVA), signal)).toBeUndefined();
});
