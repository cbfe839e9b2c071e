import { afterEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { rememberJson, VERSION, type ContentBlock } from "@keelson/protocol";
import { anthropicProvider, type AnthropicOptions } from "./anthropic.ts";

type Handler = (request: Request, body: any) => Response | Promise<Response>;
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A local server that records every request. */
function serve(handler: Handler) {
  const seen: Seen[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text();
      const url = new URL(request.url);
      seen.push({ method: request.method, path: url.pathname + url.search, headers: request.headers, text });
      return handler(request, text === "" ? undefined : JSON.parse(text));
    },
  });
  closing.push(() => void server.stop(true));
  return { seen, baseUrl: `http://127.0.0.1:${server.port}` };
}

const request: ModelRequest = {
  model: "m",
  max_tokens: 100,
  system: [{ type: "text", text: "be brief" }],
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "text", text: "yes?" }] },
  ],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  thinking: { type: "adaptive" },
  betas: ["one", "two", "one"],
};

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};
const events = [
  { type: "message_start", message },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hé😀" } },
  { type: "content_block_delta", index: 0, delta: { type: "novel_delta", x: 1 } },
  { type: "content_block_stop", index: 0 },
  { type: "surprise", value: [1] },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const lines = (list: readonly { type: string }[]) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** A response body sent in chunks of `size` bytes, which then ends or stays open. */
function streamed(text: string, size = Infinity, end: "close" | "hang" = "close"): Response {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at >= bytes.length) {
        if (end === "close") controller.close();
        else await new Promise(() => {});
        return;
      }
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const never = new AbortController().signal;

async function collect(options: AnthropicOptions, signal = never, how: "stream" | "plain" = "stream") {
  const got: ModelEvent[] = [];
  try {
    for await (const event of anthropicProvider(options)[how](request, signal)) got.push(event);
    return { got };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { got, error };
  }
}

/** The public fields of an error. */
function facts(error: ModelError | undefined) {
  const { kind, status, apiType, retryAfterMs, message: said } = error!;
  return { kind, status, apiType, retryAfterMs, message: said };
}

test("stream() yields events as sent, including unknown ones, however they are chunked", async () => {
  for (const size of [1, 7, Infinity]) {
    const { baseUrl } = serve(() => streamed(lines(events), size));
    expect(await collect({ baseUrl })).toEqual({ got: events as unknown as ModelEvent[] });
  }
});

test("the request has the API's headers and a body without betas", async () => {
  const { seen, baseUrl } = serve(() => streamed(lines(events)));
  await collect({
    baseUrl: `${baseUrl}/proxy/`,
    apiKey: "sk-test-key",
    sessionId: "sid",
    entrypoint: "sdk-ts",
    headers: { "X-Own": "1", "User-Agent": "mine" },
    extraBody: { max_tokens: 7, temperature: 0, stream: false },
  });
  expect(seen).toHaveLength(1);
  const [{ method, path, headers, text }] = seen as [Seen];
  expect([method, path]).toEqual(["POST", "/proxy/v1/messages?beta=true"]);
  const names = [
    "anthropic-version",
    "anthropic-beta",
    "content-type",
    "x-api-key",
    "authorization",
    "x-app",
    "x-claude-code-session-id",
    "user-agent",
    "x-own",
  ];
  expect(names.map((name) => headers.get(name))).toEqual([
    "2023-06-01",
    "one,two",
    "application/json",
    "sk-test-key",
    null,
    "cli",
    "sid",
    "mine",
    "1",
  ]);
  const { betas: _, ...body } = request;
  expect(JSON.parse(text)).toEqual({ ...body, max_tokens: 7, temperature: 0, stream: true });
});

test("an auth token is sent as a bearer token instead of the key", async () => {
  const { seen, baseUrl } = serve(() => streamed(lines(events)));
  await collect({ baseUrl, apiKey: "sk-test-key", authToken: "tok-123456789" });
  const { headers } = seen[0]!;
  expect([headers.get("authorization"), headers.get("x-api-key"), headers.get("user-agent")]).toEqual([
    "Bearer tok-123456789",
    null,
    `keelson/${VERSION} (external, cli)`,
  ]);
});

test.each([
  ["my-app/1.0", ", client-app/my-app/1.0"],
  [" spaced  name ", ", client-app/spaced name"],
  ["evil)\r\nx-api-key: y (", ", client-app/evil x-api-key: y"],
  ["\u0000é", ""],
  ["a".repeat(500), `, client-app/${"a".repeat(200)}`],
])("the user agent contains the application that uses the SDK: %j", async (clientApp, named) => {
  const { seen, baseUrl } = serve(() => streamed(lines(events)));
  await collect({ baseUrl, entrypoint: "sdk-ts", clientApp });
  expect(seen[0]!.headers.get("user-agent")).toBe(`keelson/${VERSION} (external, sdk-ts${named})`);
});

test("blocks with memoized JSON are sent as that text", async () => {
  const { seen, baseUrl } = serve(() => streamed(lines(events)));
  const block: ContentBlock = { type: "text", text: "old" };
  rememberJson(block, '{"text":"old" ,"type":"text"}');
  const provider = anthropicProvider({ baseUrl });
  for await (const _ of provider.stream({ ...request, messages: [{ role: "user", content: [block] }] }, never));
  expect(seen[0]!.text).toContain('"messages":[{"role":"user","content":[{"text":"old" ,"type":"text"}]}]');
});

test("context_management adds its beta header", async () => {
  const { seen, baseUrl } = serve(() => streamed(lines(events)));
  const edited = { ...request, betas: [], context_management: { edits: [] } };
  for await (const _ of anthropicProvider({ baseUrl }).stream(edited, never));
  expect(seen[0]!.headers.get("anthropic-beta")).toBe("context-management-2025-06-27");
});

test("a body that ends early yields what arrived, then stream_cut", async () => {
  const { baseUrl } = serve(() => streamed(lines(events.slice(0, 4)), 10));
  const { got, error } = await collect({ baseUrl });
  expect(got).toEqual(events.slice(0, 4) as unknown as ModelEvent[]);
  expect(error?.kind).toBe("stream_cut");
});

test("a connection that breaks in the middle is a stream_cut", async () => {
  const { promise, resolve } = Promise.withResolvers<Server>();
  const server = createServer((socket) => {
    const part = lines(events.slice(0, 2));
    socket.once("data", () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`);
      socket.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`, () => socket.resetAndDestroy());
    });
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1", () => resolve(server));
  closing.push(() => void server.close());
  const { port } = (await promise).address() as { port: number };
  const { error } = await collect({ baseUrl: `http://127.0.0.1:${port}` });
  expect(error?.kind).toBe("stream_cut");
});

test("invalid JSON is a stream_cut", async () => {
  for (const data of ['{"type":"message_st', "[]", '{"no":"type"}']) {
    const { baseUrl } = serve(() => streamed(`data: ${data}\n\n`));
    const { error } = await collect({ baseUrl });
    expect([error?.kind, error?.message]).toEqual(["stream_cut", `The reply contains an invalid event: ${data}`]);
  }
});

test.each([
  { type: "message_start" },
  { type: "content_block_start", index: 0 },
  { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c", input: {} } },
  { type: "content_block_delta", index: 0 },
  { type: "message_delta", usage: {} },
])("an event without its required fields is a stream_cut: %j", async (event) => {
  const { baseUrl } = serve(() => streamed(lines([event, ...events.slice(-1)])));
  expect((await collect({ baseUrl })).error?.kind).toBe("stream_cut");
});

test("a reply that ends in the middle of a block is a stream_cut", async () => {
  const { baseUrl } = serve(() => streamed(lines(events.filter(({ type }) => type !== "content_block_stop"))));
  const { got, error } = await collect({ baseUrl });
  expect([got.at(-1)?.type, error?.kind]).toEqual(["message_delta", "stream_cut"]);
});

test("an error event ends the stream with an error of its kind", async () => {
  const failed = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const { baseUrl } = serve(() => streamed(lines([events[0]!, failed])));
  const { got, error } = await collect({ baseUrl });
  expect(got).toHaveLength(1);
  expect(facts(error)).toEqual({
    kind: "overloaded",
    status: 529,
    apiType: "overloaded_error",
    retryAfterMs: undefined,
    message: "Overloaded",
  });
});

test("an error response has kind, status, the API's message and the retry delay", async () => {
  const { baseUrl } = serve(() =>
    Response.json(
      { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },
      { status: 429, headers: { "retry-after": "7" } },
    ),
  );
  expect(facts((await collect({ baseUrl })).error)).toEqual({
    kind: "rate_limit",
    status: 429,
    apiType: "rate_limit_error",
    retryAfterMs: 7000,
    message: "Slow down",
  });
});

test("error messages never contain a credential, even if the server repeats it", async () => {
  const { baseUrl } = serve(() =>
    Response.json({ error: { type: "authentication_error", message: "bad key sk-test-key" } }, { status: 401 }),
  );
  const { error } = await collect({ baseUrl, apiKey: "sk-test-key" });
  expect([error?.kind, error?.message]).toEqual(["authentication_failed", "bad key ***"]);
  const broken = await collect({ baseUrl, apiKey: "sk-test\nkey" });
  expect(broken.error?.kind).toBe("invalid_request");
  expect(broken.error?.message).not.toContain("sk-test");
});

test("a redirect is not followed, so the key is not sent elsewhere", async () => {
  const other = serve(() => streamed(lines(events)));
  const { baseUrl } = serve(() => Response.redirect(`${other.baseUrl}/v1/messages`, 307));
  const { error } = await collect({ baseUrl, apiKey: "sk-test-key" });
  expect([error?.kind, error?.status, other.seen.length]).toEqual(["invalid_request", 307, 0]);
});

test("a closed port is a connection error that names the address", async () => {
  const { baseUrl } = serve(() => new Response());
  closing.splice(0).forEach((close) => close());
  const { error } = await collect({ baseUrl });
  expect(error?.kind).toBe("connection");
  expect(error?.message).toContain(baseUrl);
});

test("no data in the middle of a reply is a timeout", async () => {
  const { baseUrl } = serve(() => streamed(lines(events.slice(0, 2)), Infinity, "hang"));
  const { got, error } = await collect({ baseUrl, idleTimeoutMs: 300 });
  expect([got.length, error?.kind, error?.message]).toEqual([2, "timeout", "The model sent no data for 300 ms"]);
});

test("a slow reader does not cause a timeout", async () => {
  const { baseUrl } = serve(() => streamed(lines(events), 40));
  const got: string[] = [];
  for await (const event of anthropicProvider({ baseUrl, idleTimeoutMs: 500 }).stream(request, never)) {
    // Twice as long as the line may be silent, which is longer than a busy machine makes us wait between two chunks.
    if (event.type === "ping") await Bun.sleep(1_000);
    got.push(event.type);
  }
  expect(got).toEqual(events.map(({ type }) => type));
});

test("missing headers are a timeout", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { baseUrl } = serve(() => promise);
  const { error } = await collect({ baseUrl, timeoutMs: 30 });
  resolve(new Response());
  expect(error?.kind).toBe("timeout");
});

test("an abort ends the request at once: before it, while waiting for headers, and during the reply", async () => {
  const early = await collect({ baseUrl: "http://127.0.0.1:9" }, AbortSignal.abort());
  expect(early.error?.kind).toBe("aborted");

  const waiting = new AbortController();
  const silent = serve(() => {
    waiting.abort();
    return new Promise(() => {});
  });
  expect((await collect({ baseUrl: silent.baseUrl }, waiting.signal)).error?.kind).toBe("aborted");

  const middle = new AbortController();
  const { baseUrl } = serve(() => streamed(lines(events.slice(0, 2)), Infinity, "hang"));
  const got: ModelEvent[] = [];
  const reading = (async () => {
    for await (const event of anthropicProvider({ baseUrl }).stream(request, middle.signal)) {
      got.push(event);
      if (got.length === 2) middle.abort();
    }
  })();
  expect(((await reading.catch((error) => error)) as ModelError).kind).toBe("aborted");
});

test("leaving the loop early closes the connection", async () => {
  const gone = Promise.withResolvers<void>();
  const { baseUrl } = serve((incoming) => {
    incoming.signal.addEventListener("abort", () => gone.resolve());
    return streamed(lines(events.slice(0, 2)), Infinity, "hang");
  });
  for await (const _ of anthropicProvider({ baseUrl }).stream(request, never)) break;
  await gone.promise;
});

test("the connection of a finished reply is reused", async () => {
  const ports = new Set<number | undefined>();
  let end = () => {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(incoming) {
      ports.add(server.requestIP(incoming)?.port);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(lines(events)));
          // Send the last bytes only after the reader has seen message_stop.
          end = () => controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  closing.push(() => void server.stop(true));
  let asked = 0;
  while (ports.size === asked && asked < 30) {
    await collect({ baseUrl: `http://127.0.0.1:${server.port}` });
    asked++;
    end();
  }
  expect(ports.size).toBe(asked - 1);
});

test("plain() sends no stream field and yields the same events", async () => {
  const content = [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "text", text: "hello", citations: [{ a: 1 }] },
    { type: "tool_use", id: "t", name: "Read", input: { file_path: "/a" } },
    { type: "novel", value: 1 },
  ];
  const { seen, baseUrl } = serve(() => Response.json({ ...message, content, stop_reason: "tool_use" }));
  const { got } = await collect({ baseUrl }, never, "plain");
  expect(JSON.parse(seen[0]!.text)).not.toHaveProperty("stream");
  const block = (index: number, content_block: unknown, ...deltas: unknown[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  expect(got as unknown[]).toEqual([
    { type: "message_start", message },
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "hm" },
      { type: "signature_delta", signature: "s" },
    ),
    ...block(
      1,
      { type: "text", text: "" },
      { type: "text_delta", text: "hello" },
      { type: "citations_delta", citation: { a: 1 } },
    ),
    ...block(
      2,
      { type: "tool_use", id: "t", name: "Read", input: {} },
      { type: "input_json_delta", partial_json: '{"file_path":"/a"}' },
    ),
    ...block(3, { type: "novel", value: 1 }),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: message.usage },
    { type: "message_stop" },
  ]);
});

test("stream() accepts a whole reply from a gateway, and rejects a web page", async () => {
  const whole = serve(() => Response.json({ ...message, content: [{ type: "text", text: "hi" }] }));
  expect((await collect({ baseUrl: whole.baseUrl })).got.map(({ type }) => type)).toContain("message_stop");
  const page = serve(() => new Response("<html>log in</html>", { headers: { "content-type": "text/html" } }));
  expect((await collect({ baseUrl: page.baseUrl })).error?.kind).toBe("stream_cut");
  const { error } = await collect({ baseUrl: page.baseUrl }, never, "plain");
  expect(error?.message).toBe(`${page.baseUrl} does not behave like the Messages API; check ANTHROPIC_BASE_URL`);
});

test("countTokens() calls its endpoint, and is undefined if there is none", async () => {
  const { seen, baseUrl } = serve(() => Response.json({ input_tokens: 42 }));
  expect(await anthropicProvider({ baseUrl }).countTokens!(request, never)).toBe(42);
  const { model, messages, system, tools, thinking } = request;
  expect(seen[0]!.path).toBe("/v1/messages/count_tokens?beta=true");
  expect(JSON.parse(seen[0]!.text)).toEqual({ model, messages, system, tools, thinking });
  const none = serve(() => new Response("no", { status: 404 }));
  expect(await anthropicProvider({ baseUrl: none.baseUrl }).countTokens!(request, never)).toBeUndefined();
});

test("an invalid base URL is rejected before anything is sent", async () => {
  for (const baseUrl of ["nonsense", "file:///etc/passwd"])
    expect((await collect({ baseUrl })).error?.message).toBe("ANTHROPIC_BASE_URL is not an http or https URL");
});

test("a way to the server that was not found is looked for again", async () => {
  const { seen, baseUrl } = serve(() => Response.json({ input_tokens: 1 }));
  let asked = 0;
  const fetchOptions = async () => {
    if (++asked === 1) throw new ModelError("invalid_request", "no such file");
    return {};
  };
  const provider = anthropicProvider({ baseUrl, fetchOptions });
  const count = () => provider.countTokens!(request, new AbortController().signal);
  expect([await count(), await count(), await count()]).toEqual([undefined, 1, 1]);
  expect([asked, seen.length]).toEqual([2, 2]);
});
