import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { Client, type Transport } from "./client.ts";
import { fakeServer, NEVER } from "./fake-server.test-support.ts";
import { McpError } from "./rpc.ts";

const never = new AbortController().signal;
const limit = { timeoutMs: 5_000, signal: never };

test("each request has its own id and resolves with the result", async () => {
  const { transport, heard } = fakeServer({ echo: (params) => params });
  const client = new Client(transport);
  expect(await client.request("echo", { a: 1 }, limit)).toEqual({ a: 1 });
  expect(await client.request("echo", (id) => ({ token: id }), limit)).toEqual({ token: 1 });
  expect(heard).toEqual([
    { method: "echo", params: { a: 1 }, jsonrpc: "2.0", id: 0 },
    { method: "echo", params: { token: 1 }, jsonrpc: "2.0", id: 1 },
  ]);
});

test("deliver() matches answers to requests, in any order and with a string id", async () => {
  const sent: JsonObject[] = [];
  const transport: Transport = { send: async (message) => void sent.push(message) };
  const client = new Client(transport);
  const answers = Promise.all([client.request("a", {}, limit), client.request("b", {}, limit)]);
  client.deliver([{ jsonrpc: "2.0", id: "1", result: "second" }, { id: 99, result: "nobody's" }, [1], null, "x"]);
  client.deliver({ jsonrpc: "2.0", id: 0, result: "first" });
  expect(await answers).toEqual(["first", "second"]);
});

test.each([
  ["an error", { error: { code: -32602, message: "bad a" } }, "MCP error -32602: bad a"],
  ["an error without a message", { error: {} }, "MCP error -32603: the server did not say why"],
  ["a string", "no", "MCP error -32603: the server's answer is not a JSON-RPC response"],
  ["a list", [], "MCP error -32603: the server's answer is not a JSON-RPC response"],
  ["an answer without a result", { id: 0 }, "MCP error -32603: the server's answer is not a JSON-RPC response"],
])("%s rejects the request", async (_, answer, message) => {
  const client = new Client({ send: async () => answer });
  expect(await failure(client.request("x", {}, limit))).toBe(message);
});

test("a message that cannot be sent rejects its request", async () => {
  const client = new Client({ send: () => Promise.reject(new Error("SDK MCP server not found: nope")) });
  expect(await failure(client.request("x", {}, limit))).toBe("MCP error -32000: SDK MCP server not found: nope");
});

test("a request that times out is cancelled on the server and in the transport", async () => {
  const { transport, heard } = fakeServer({ slow: NEVER });
  let passed: AbortSignal | undefined;
  const client = new Client({
    send: (message, signal) => {
      if (message["method"] === "slow") passed = signal;
      return transport.send(message, signal);
    },
  });
  const call = client.request("slow", {}, { timeoutMs: 5, signal: never });
  expect(await failure(call)).toBe("MCP error -32001: Request timed out");
  expect(passed?.aborted).toBe(true);
  expect(heard[1]).toEqual({
    method: "notifications/cancelled",
    params: { requestId: 0, reason: "MCP error -32001: Request timed out" },
    jsonrpc: "2.0",
  });
});

test("an aborted request rejects with the caller's reason", async () => {
  const { transport, heard } = fakeServer({ slow: NEVER });
  const stop = new AbortController();
  const call = new Client(transport).request("slow", {}, { timeoutMs: 5_000, signal: stop.signal });
  stop.abort(new Error("stopped by the caller"));
  expect(await failure(call)).toBe("stopped by the caller");
  expect(heard.map(({ method }) => method)).toEqual(["slow", "notifications/cancelled"]);
  expect(await failure(new Client(transport).request("slow", {}, { timeoutMs: 1, signal: stop.signal }))).toBe(
    "stopped by the caller",
  );
});

test("initialize is never cancelled", async () => {
  const { transport, heard } = fakeServer({ initialize: NEVER });
  await failure(new Client(transport).request("initialize", {}, { timeoutMs: 1, signal: never }));
  expect(heard.map(({ method }) => method)).toEqual(["initialize"]);
});

test("close() rejects pending requests and sends nothing afterwards", async () => {
  const { transport, heard } = fakeServer({ slow: NEVER });
  const client = new Client(transport);
  const call = client.request("slow", {}, limit);
  client.close();
  client.notify("notifications/x");
  client.deliver({ id: 1, method: "ping" });
  expect(await failure(call)).toBe("MCP error -32000: Connection closed");
  expect(await failure(client.request("slow", {}, limit))).toBe("MCP error -32000: Connection closed");
  expect(heard.length).toBe(1);
});

test("ping is answered; any other request gets Method not found", () => {
  const { transport, heard } = fakeServer();
  const client = new Client(transport);
  client.deliver({ jsonrpc: "2.0", id: "p", method: "ping" });
  client.deliver({ jsonrpc: "2.0", id: 7, method: "sampling/createMessage", params: {} });
  expect(heard).toEqual([
    { jsonrpc: "2.0", id: "p", result: {} },
    { jsonrpc: "2.0", id: 7, error: { code: -32601, message: "Method not found: sampling/createMessage" } },
  ]);
});

test("at most fifty server requests are answered at once", () => {
  const sent: JsonObject[] = [];
  const client = new Client({ send: (message) => (sent.push(message), new Promise(() => undefined)) });
  for (let id = 0; id < 1_000; id++) client.deliver({ jsonrpc: "2.0", id, method: "ping" });
  expect(sent.length).toBe(50);
});

test("notifications are passed to the listener", () => {
  const heard: unknown[] = [];
  const client = new Client(fakeServer().transport, {
    onNotification: (method, params) => heard.push([method, params]),
  });
  client.deliver({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } });
  client.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: 7 });
  expect(heard).toEqual([
    ["notifications/message", { level: "info" }],
    ["notifications/tools/list_changed", {}],
  ]);
});

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    return `resolved with ${JSON.stringify(await promise)}`;
  } catch (error) {
    if (error instanceof McpError || error instanceof Error) return error.message;
    throw error;
  }
}
