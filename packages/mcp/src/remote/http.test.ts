// Streamable HTTP against the official servers of both generations, and against servers that misbehave.

import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { HELLO } from "../connection/fake-server.test-support.ts";
import { httpTransport } from "./http.ts";
import { dial, modernServer, rpcError, serveHttp, sessionServer } from "./remote-servers.test-support.ts";

const transportTo = (url: string, more: Partial<Parameters<typeof httpTransport>[0]> = {}) =>
  httpTransport({ name: "calc", url, headers: {}, fetch, ...more });

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

test("calls a tool, receives notifications, and ends the session when it closes", async () => {
  const calculator = sessionServer();
  const seen: (string | null)[] = [];
  await using server = serveHttp((request) => {
    if (request.method === "POST") seen.push(request.headers.get("mcp-protocol-version"));
    return calculator.fetch(request);
  });
  const connection = await dial(transportTo(server.url));
  expect(await connection.initialize()).toMatchObject({ protocolVersion: "2025-11-25" });
  expect(text(await connection.request("tools/call", { name: "add", arguments: { a: 1, b: 2 } }))).toBe("3");
  while (connection.messages.length === 0) {
    const announced = connection.notified();
    await calculator.announce();
    await Promise.race([announced, Bun.sleep(20)]);
  }
  expect(connection.messages[0]).toMatchObject({ method: "notifications/tools/list_changed" });
  await connection.close();
  expect(calculator.ended).toHaveLength(1);
  expect(seen).toEqual([null, "2025-11-25", "2025-11-25"]);
});

test("speaks to a server of the 2026-07-28 generation with its headers", async () => {
  const handler = modernServer();
  const seen: object[] = [];
  await using server = serveHttp((request) => {
    const header = (name: string) => request.headers.get(name);
    seen.push({
      version: header("mcp-protocol-version"),
      method: header("mcp-method"),
      name: header("mcp-name"),
      ours: header("x-keelson-request"),
    });
    return handler(request);
  });
  const connection = await dial(transportTo(server.url));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  expect(await connection.request("server/discover", { _meta })).toMatchObject({ supportedVersions: ["2026-07-28"] });
  const result = await connection.request("tools/call", { name: "add", arguments: { a: 2, b: 3 }, _meta });
  expect(text(result)).toBe("5");
  expect(seen).toEqual([
    { version: "2026-07-28", method: "server/discover", name: null, ours: null },
    { version: "2026-07-28", method: "tools/call", name: "add", ours: null },
  ]);
  await connection.close();
});

test("a session that the server forgot is reported as expired", async () => {
  const calculator = sessionServer();
  await using server = serveHttp(calculator.fetch);
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  calculator.forget();
  await expect(connection.request("tools/list")).rejects.toThrow("MCP error -32001: session expired");
  await connection.close();
});

test.each<[status: number, message: string, error: string, code: number]>([
  [400, "Bad Request: No valid session ID provided", "MCP error -32001: session expired", -32000],
  [400, "Bad Request: Server not initialized", "MCP error -32001: session expired", -32000],
  [404, "gone", "MCP error -32001: session expired", -32000],
  [400, "Bad Request: no such tool", "MCP error -32000: Bad Request: no such tool", -32000],
  [400, "unknown session", "MCP error -32602: unknown session", -32602],
])("within a session, HTTP %d with %j is %j", async (status, message, error, code) => {
  const calculator = sessionServer();
  let isForgotten = false;
  await using server = serveHttp((request) =>
    isForgotten ? Response.json(rpcError(code, message), { status }) : calculator.fetch(request),
  );
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  isForgotten = true;
  await expect(connection.request("tools/list")).rejects.toThrow(error);
  await connection.close();
});

test("a JSON-RPC error in the body of a failed request is the answer", async () => {
  await using server = serveHttp(() => Response.json(rpcError(-32022, "Unsupported version"), { status: 400 }));
  const connection = await dial(transportTo(server.url));
  await expect(connection.request("server/discover")).rejects.toThrow("MCP error -32022: Unsupported version");
});

test.each([
  [
    401,
    "",
    { "x-key": "secret-1" },
    /^MCP error -32401: "127.0.0.1:\d+" requires you to sign in; run "keelson mcp login calc"$/,
  ],
  [
    401,
    "",
    { authorization: "Bearer abcdef" },
    /^MCP error -32401: "127.0.0.1:\d+" rejected the configured Authorization header \(HTTP 401\)$/,
  ],
  [404, "<html>no</html>", {}, /^MCP error -32404: "127.0.0.1:\d+" answered with HTTP 404; check its URL$/],
  [
    500,
    "key secret-1 is\nbad",
    { "x-key": "secret-1" },
    /^MCP error -32500: "127.0.0.1:\d+" answered with HTTP 500: key … is bad$/,
  ],
])("HTTP %i %j is an error without secrets", async (status, body, headers, message) => {
  await using server = serveHttp(() => new Response(body, { status }));
  const connection = await dial(transportTo(server.url, { headers: headers as Record<string, string> }));
  await expect(connection.request("initialize")).rejects.toThrow(message);
});

test.each([200, 400])("a JSON-RPC error with HTTP %i is passed on without the credentials in it", async (status) => {
  await using server = serveHttp(async (request) => {
    const { id } = (await request.json()) as { id: number };
    return Response.json({ ...rpcError(-32602, "abcdef is unknown (Bearer abcdef)"), id }, { status });
  });
  const connection = await dial(transportTo(server.url, { headers: { Authorization: "Bearer abcdef" } }));
  await expect(connection.request("initialize")).rejects.toThrow("MCP error -32602: … is unknown (…)");
});

test("errors are passed on without the token of a sign-in, and with the names of schemes", async () => {
  await using server = serveHttp(async (request) => {
    const { id } = (await request.json()) as { id: number };
    return Response.json({ ...rpcError(-32602, "Bearer token abcdef is unknown"), id });
  });
  const auth = { token: async () => "abcdef", onScopeMissing: async () => undefined };
  const connection = await dial(transportTo(server.url, { auth }));
  await expect(connection.request("initialize")).rejects.toThrow("MCP error -32602: Bearer token … is unknown");
});

test("a server of the older kind, and one that answers with nothing, are errors that name the fix", async () => {
  await using older = serveHttp(() => new Response("Cannot POST /sse", { status: 404 }));
  const first = await dial(transportTo(new URL("/sse", older.url).href));
  await expect(first.request("initialize")).rejects.toThrow(
    /answered with HTTP 404; check its URL, or change its type to "sse"/,
  );
  await using empty = serveHttp(() => new Response(null, { status: 204 }));
  const second = await dial(transportTo(empty.url));
  await expect(second.request("initialize")).rejects.toThrow(/answered with nothing instead of JSON; check its URL$/);
});

test("a missing scope needs a new sign-in that names it", async () => {
  await using server = serveHttp(
    () =>
      new Response("", {
        status: 403,
        headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"' },
      }),
  );
  const connection = await dial(transportTo(server.url));
  await expect(connection.request("tools/list")).rejects.toMatchObject({
    constructor: { name: "NeedsSignInError" },
    message: expect.stringContaining('requires the scope "files:write"; run "keelson mcp login calc" to grant it'),
  });
});

test("a server that cannot be reached is named with the cause", async () => {
  const server = serveHttp(() => new Response());
  await server[Symbol.asyncDispose]();
  const connection = await dial(transportTo(`${server.url}?token=secret`));
  await expect(connection.request("initialize")).rejects.toThrow(
    /^MCP error -32000: Cannot reach "127.0.0.1:\d+": connection refused$/,
  );
});

test("headers are not sent to another origin, and a redirect there is refused", async () => {
  const reached: string[] = [];
  await using other = serveHttp((request) => {
    reached.push(request.url);
    return new Response();
  });
  await using server = serveHttp(() => Response.redirect(`${other.url}?x=1`, 307));
  const connection = await dial(transportTo(server.url, { headers: { "x-key": "secret" } }));
  await expect(connection.request("initialize")).rejects.toThrow(
    /"127.0.0.1:\d+" redirects to "http:\/\/127.0.0.1:\d+\/mcp", which is another origin; if that is the right server, configure this URL$/,
  );
  expect(reached).toEqual([]);
});

test("several messages in one event are delivered one by one", async () => {
  await using server = serveHttp(async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as JsonObject;
    if (id === undefined) return new Response(null, { status: 202 });
    const result = method === "initialize" ? HELLO : { tools: [] };
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "data: [1]" } };
    const data = JSON.stringify([log, { jsonrpc: "2.0", id, result }]);
    return new Response(`id: 1\r\ndata: ${data}\r\n\r\n`, { headers: { "content-type": "text/event-stream" } });
  });
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  expect(await connection.request("tools/list")).toEqual({ tools: [] });
  await connection.close();
});

test("an answer that is no JSON, and a redirect that is not followed, name the fix", async () => {
  await using server = serveHttp(({ url }) =>
    url.endsWith("/mcp")
      ? new Response("<html>", { headers: { "content-type": "text/html" } })
      : new Response(null, { status: 302, headers: { location: "/mcp" } }),
  );
  const page = await dial(transportTo(server.url));
  await expect(page.initialize()).rejects.toThrow(
    /^MCP error -32603: "127.0.0.1:\d+" answered with text\/html instead of JSON; check its URL$/,
  );
  const moved = await dial(transportTo(`${server.url}x`));
  await expect(moved.initialize()).rejects.toThrow(
    /"127.0.0.1:\d+" redirects to "http:\/\/127.0.0.1:\d+\/mcp"; if that is the right server, configure this URL$/,
  );
});

test("a redirect within the origin is followed with the headers", async () => {
  const calculator = sessionServer();
  await using server = serveHttp((request) => {
    if (request.headers.get("x-key") !== "secret") return new Response("", { status: 401 });
    if (new URL(request.url).pathname === "/mcp") return Response.redirect("/other", 307);
    return calculator.fetch(request);
  });
  const connection = await dial(transportTo(server.url, { headers: { "x-key": "secret" } }));
  expect(await connection.initialize()).toMatchObject({ serverInfo: { name: "calculator" } });
  await connection.close();
});

test("a request fails when its stream ends without an answer, or is answered with nothing", async () => {
  const event = { "content-type": "text/event-stream" };
  const bodies = [
    () =>
      new Response('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n', {
        headers: event,
      }),
    () => Response.json([]),
    () => Response.json({ jsonrpc: "2.0", id: 77, result: {} }),
    () => Response.json({ nonsense: true }),
    () => new Response("not json", { headers: { "content-type": "application/json" } }),
  ];
  await using server = serveHttp(() => bodies.shift()!());
  const connection = await dial(transportTo(server.url));
  const failure = () => connection.request("tools/list").catch((error: Error) => error.message);
  expect([await failure(), await failure(), await failure(), await failure(), await failure()]).toEqual([
    "MCP error -32000: the server ended the stream without an answer",
    "MCP error -32603: the server sent no answer to this request",
    "MCP error -32603: the server sent no answer to this request",
    "MCP error -32603: the server's answer is not a JSON-RPC message",
    "MCP error -32603: the server's answer is not a JSON-RPC message",
  ]);
});

test("cancelling a request ends its stream", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using server = serveHttp((request) => {
    request.signal.addEventListener("abort", () => cancelled.resolve());
    return new Response(
      new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(": hello\n\n")) }),
      {
        headers: { "content-type": "text/event-stream" },
      },
    );
  });
  const connection = await dial(transportTo(server.url));
  const controller = new AbortController();
  const call = connection.request("tools/call", {}, controller.signal);
  setTimeout(() => controller.abort(), 20);
  await expect(call).rejects.toThrow("the request was cancelled");
  await cancelled.promise;
});

test.each(["application/json", "text/event-stream"])(
  "an endless answer as %s fails, and the connection lives",
  async (type) => {
    const piece = new Uint8Array(64 * 1024).fill(120);
    let sent = 0;
    let isEndless = true;
    await using server = serveHttp(async (request) => {
      if (!isEndless)
        return Response.json({ jsonrpc: "2.0", id: ((await request.json()) as { id: number }).id, result: {} });
      let isFirst = true;
      const body = new ReadableStream<Uint8Array>({
        pull(stream) {
          stream.enqueue(
            isFirst ? new TextEncoder().encode(type === "text/event-stream" ? 'id: 1\n\ndata: "' : '"') : piece,
          );
          isFirst = false;
          sent += piece.length;
        },
      });
      return new Response(body, { headers: { "content-type": type } });
    });
    const connection = await dial(transportTo(server.url, { limits: { bytes: 4 * 1024 * 1024 } }));
    await expect(connection.request("tools/call")).rejects.toThrow(
      "MCP error -32603: the server sent a message larger than 4 MiB",
    );
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    isEndless = false;
    expect(await connection.request("ping")).toEqual({});
  },
);

test.each(["application/json", "text/event-stream"])("brackets as %s do not become objects", async (type) => {
  const body = (inner: string) => {
    const json = `{"jsonrpc":"2.0","id":0,"result":{"x":${inner}}}`;
    return type === "application/json" ? json : `id: "\ndata: ${json}\n\n`;
  };
  const bodies = [body(`[${"[],".repeat(2_000)}0]`), body(JSON.stringify(`"[,`.repeat(2_000)))];
  await using server = serveHttp(() => new Response(bodies.shift(), { headers: { "content-type": type } }));
  const limits = { values: 1_000 };
  const refused = await dial(transportTo(server.url, { limits }));
  await expect(refused.request("tools/call")).rejects.toThrow(
    "the server sent a message with more than 0.001 million values",
  );
  const accepted = await dial(transportTo(server.url, { limits }));
  expect(await accepted.request("tools/call")).toEqual({ x: `"[,`.repeat(2_000) });
});

test("a stream of many events is not limited as a whole", async () => {
  const event = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(900) } })}\r\n\r\n`;
  await using server = serveHttp(
    () =>
      new Response(`${event.repeat(20)}data: {"jsonrpc":"2.0","id":0,"result":{}}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const connection = await dial(transportTo(server.url, { limits: { bytes: 2_000 } }));
  expect(await connection.request("tools/call")).toEqual({});
  expect(connection.messages).toHaveLength(20);
});

test("many short lines of one event count together, whatever ends the lines", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    await using server = serveHttp(
      () =>
        new Response(`${`data: ${"x".repeat(90)}${end}`.repeat(40)}`, {
          headers: { "content-type": "text/event-stream" },
        }),
    );
    const connection = await dial(transportTo(server.url, { limits: { bytes: 2_000 } }));
    await expect(connection.request("tools/call")).rejects.toThrow("larger than");
  }
});

test("an interrupted stream is resumed from its last event", async () => {
  const headers = { "content-type": "text/event-stream" };
  const resumedFrom: (string | null)[] = [];
  await using server = serveHttp((request) => {
    if (request.method === "POST") return new Response("retry: 0\nid: 7\ndata:\n\n", { headers });
    resumedFrom.push(request.headers.get("last-event-id"));
    return new Response('id: 8\ndata: {"jsonrpc":"2.0","id":0,"result":{"late":true}}\n\n', { headers });
  });
  const connection = await dial(transportTo(server.url));
  expect(await connection.request("tools/call")).toEqual({ late: true });
  expect(resumedFrom).toEqual(["7"]);
});

test("a stream that cannot be reopened is reported as closed", async () => {
  let opened = 0;
  await using server = serveHttp(async (request) => {
    if (request.method === "GET") {
      if (opened++ > 0) return new Response("", { status: 502 });
      return new Response("retry: 1\n\n", { headers: { "content-type": "text/event-stream" } });
    }
    const { id } = (await request.json()) as { id?: number };
    if (id === undefined) return new Response("", { status: 202 });
    return Response.json({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25" } });
  });
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  expect(await connection.closed).toMatchObject({ code: -32_502 });
  expect(opened).toBe(4);
});

test("a server that goes away is reported by the next request", async () => {
  const calculator = sessionServer();
  const server = serveHttp(calculator.fetch);
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  await server[Symbol.asyncDispose]();
  await expect(connection.request("ping")).rejects.toThrow("connection refused");
  await connection.close();
});
