// Server-sent events against the official server, and against servers that misbehave.

import { expect, test } from "bun:test";
import { sseTransport } from "./sse.ts";
import { dial, serveHttp, sseServer } from "./remote-servers.test-support.ts";

const transportTo = (url: string, more: Partial<Parameters<typeof sseTransport>[0]> = {}) =>
  sseTransport({ name: "calc", url, headers: {}, fetch, ...more });

const stream = (body: string | ReadableStream) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

test("calls a tool", async () => {
  await using server = await sseServer();
  const connection = await dial(transportTo(server.url));
  expect(await connection.initialize()).toMatchObject({ protocolVersion: "2025-11-25" });
  const result = await connection.request("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
  expect(result).toMatchObject({ content: [{ type: "text", text: "3" }] });
  await connection.close();
});

test("a dropped stream is reported as closed: its session is gone", async () => {
  await using server = await sseServer();
  const connection = await dial(transportTo(server.url));
  await connection.initialize();
  server.drop();
  expect((await connection.closed).message).toMatch(/^MCP error -32000: "127.0.0.1:\d+" closed the stream$/);
});

test("a server that cannot be used fails the start", async () => {
  const cases: [() => Response, RegExp][] = [
    [() => new Response("", { status: 401 }), /-32401: "127.0.0.1:\d+" requires you to sign in/],
    [() => new Response("<html>"), /-32200: "127.0.0.1:\d+" answered without an event stream; if it speaks streamable/],
    [() => new Response("", { status: 405 }), /answered with HTTP 405; if .* change its type to "http"$/],
    [() => new Response("", { status: 500 }), /answered with HTTP 500$/],
    [() => new Response("", { status: 404 }), /-32404: "127.0.0.1:\d+" answered with HTTP 404; check its URL/],
    [
      () => Response.redirect("http://127.0.0.1:1/sse"),
      /redirects to "http:\/\/127.0.0.1:1\/sse", which is another origin/,
    ],
    [() => stream("event: endpoint\ndata: http://127.0.0.1:1/steal\n\n"), /Endpoint origin does not match/],
    [() => stream(`data: ${"x".repeat(2_000)}`), /larger than/],
  ];
  for (const [answer, message] of cases) {
    await using server = serveHttp(answer);
    await expect(dial(transportTo(server.url, { limits: { bytes: 1_000 } }))).rejects.toThrow(message);
  }
});

test("a silent server can be given up", async () => {
  await using server = serveHttp(() => stream(new ReadableStream()));
  const controller = new AbortController();
  const events = { message: () => undefined, closed: () => undefined };
  const started = transportTo(server.url).start!(events, controller.signal);
  setTimeout(() => controller.abort(), 20);
  await expect(started).rejects.toThrow("the connection attempt was cancelled");
});

test("a message that is too large ends the connection", async () => {
  await using server = serveHttp((request) => {
    if (request.method === "POST") return new Response("", { status: 202 });
    return stream(
      new ReadableStream({
        async start(body) {
          const write = (text: string) => body.enqueue(new TextEncoder().encode(text));
          write("event: endpoint\ndata: /messages\n\n");
          await Bun.sleep(50);
          for (let i = 0; i < 50; i++) write(`data: ${"x".repeat(100)}\n`);
        },
      }),
    );
  });
  const connection = await dial(transportTo(server.url, { limits: { bytes: 1_000 } }));
  expect((await connection.closed).message).toContain("the server sent a message larger than");
});
