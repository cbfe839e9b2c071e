import { afterAll, expect, test } from "bun:test";
import { McpConnection } from "../connection/connection.ts";
import { ADD, HELLO } from "../connection/fake-server.test-support.ts";
import { webSocketTransport } from "./websocket.ts";

const signal = new AbortController().signal;
const seen: { headers: Headers | undefined; closed: number } = { headers: undefined, closed: 0 };

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request, own) {
    if (request.url.includes("secret")) return new Response("no", { status: 401 });
    seen.headers = request.headers;
    if (own.upgrade(request, { headers: { "Sec-WebSocket-Protocol": "mcp" } })) return;
    return new Response("", { status: 400 });
  },
  websocket: {
    maxPayloadLength: 64 * 1024 * 1024,
    message(socket, text) {
      const { id, method, params } = JSON.parse(String(text));
      const answer = (result: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      socket.send("not JSON");
      socket.send(new Uint8Array([1, 2]));
      if (method === "initialize") answer(HELLO);
      if (method === "tools/list") answer({ tools: [ADD] });
      if (method !== "tools/call") return;
      if (params.arguments.leave) socket.close(4000, "bye");
      else answer({ content: [{ type: "text", text: "x".repeat(params.arguments.size) }] });
    },
    close: () => void seen.closed++,
  },
});
afterAll(() => server.stop(true));

async function connect(path = "", name = "ws") {
  const closed = Promise.withResolvers<Error>();
  const connection = new McpConnection({
    name,
    timeoutMs: 20_000,
    callTimeoutMs: 20_000,
    transport: webSocketTransport({ url: `ws://127.0.0.1:${server.port}/${path}`, headers: { "X-Key": "k" } }),
    onClosed: closed.resolve,
  });
  await connection.open();
  return { connection, closed: closed.promise };
}

test("messages go both ways, with the headers and the subprotocol", async () => {
  const { connection } = await connect();
  expect([connection.status, connection.error]).toEqual(["connected", undefined]);
  const result = await connection.call("add", { size: 3 }, { signal });
  expect(result?.blocks).toEqual([{ type: "text", text: "xxx" }]);
  expect([seen.headers?.get("x-key"), seen.headers?.get("sec-websocket-protocol")]).toEqual(["k", "mcp"]);
  await connection.close();
});

test("a server that leaves fails the call and says why", async () => {
  const { connection, closed } = await connect();
  expect(connection.call("add", { leave: true }, { signal })).rejects.toThrow("MCP error -32000: Connection closed");
  expect((await closed).message).toBe("The server closed the WebSocket (bye)");
});

test("a message of more than 16 MiB closes the connection", async () => {
  const { connection } = await connect();
  const message = "MCP error -32000: Connection closed: the server sent a message of more than 16 MiB";
  expect(connection.call("add", { size: 17 * 1024 * 1024 }, { signal })).rejects.toThrow(message);
});

test("a refused connection names the host, not the rest of the address", async () => {
  const { connection } = await connect("?key=secret");
  expect([connection.status, connection.error]).toEqual([
    "failed",
    `MCP error -32401: Cannot connect to "127.0.0.1:${server.port}": the server answered with HTTP status 401; add an Authorization header, or a headersHelper that prints one`,
  ]);
});
