import { expect, test } from "bun:test";
import * as z3 from "zod/v3";
import { z } from "zod";
import { NO_ANSWER } from "../control/control-request.ts";
import { inProcessServers } from "./in-process.ts";
import { createSdkMcpServer } from "./server.ts";
import type { JSONRPCMessage, McpServerInstance, McpTransport } from "./shapes.ts";
import { tool } from "./tool.ts";

/** The program's side of one server. */
function clientOf(server: ReturnType<typeof createSdkMcpServer>) {
  const said: [string, JSONRPCMessage][] = [];
  const servers = inProcessServers({ calc: server }, async (name, message) => void said.push([name, message]));
  let id = 0;
  const send = (message: object, signal = new AbortController().signal) =>
    servers.answer({ subtype: "mcp_message", server_name: "calc", message }, { requestId: "r", signal });
  return {
    servers,
    said,
    send,
    async call(method: string, params?: object) {
      const { mcp_response }: any = await send({ jsonrpc: "2.0", id: ++id, method, params });
      expect([mcp_response.jsonrpc, mcp_response.id]).toEqual(["2.0", id]);
      return mcp_response.error ?? mcp_response.result;
    },
  };
}

const text = (value: unknown) => ({ content: [{ type: "text" as const, text: String(value) }] });

const add = tool("add", "Adds", { a: z.number(), b: z.number().default(1) }, async ({ a, b }) => text(a + b), {
  annotations: { readOnlyHint: true },
  searchHint: "sum",
  alwaysLoad: true,
});

test("a server initializes, lists its tools and runs them", async () => {
  const { call, send } = clientOf(
    createSdkMcpServer({ name: "calc", version: "2.0.0", instructions: "Be exact", tools: [add] }),
  );
  expect(await call("initialize", { protocolVersion: "2025-06-18", capabilities: {} })).toEqual({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "calc", version: "2.0.0" },
    instructions: "Be exact",
  });
  expect((await call("initialize", { protocolVersion: "1999-01-01" })).protocolVersion).toBe("2025-11-25");
  expect(await send({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual({
    mcp_response: { jsonrpc: "2.0", result: {}, id: 0 },
  });
  expect(await call("ping")).toEqual({});
  expect(await call("tools/list")).toEqual({
    tools: [
      {
        name: "add",
        description: "Adds",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
          required: ["a"],
        },
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/searchHint": "sum", "anthropic/alwaysLoad": true },
      },
    ],
  });
  expect(await call("tools/call", { name: "add", arguments: { a: 2 } })).toEqual(text(3));
});

test("invalid calls are protocol errors, and what a tool throws goes into its result", async () => {
  const broken = tool("broken", "Breaks", {}, async () => {
    throw new Error("out of order");
  });
  const { call } = clientOf(createSdkMcpServer({ name: "calc", tools: [add, broken] }));
  expect(await call("tools/call", { name: "nope" })).toEqual({ code: -32602, message: "Tool nope not found" });
  const invalid = await call("tools/call", { name: "add", arguments: { a: "two" } });
  expect([invalid.code, invalid.message]).toEqual([
    -32602,
    expect.stringContaining("Invalid arguments for tool add: a: "),
  ]);
  expect(await call("tools/call", { name: "broken" })).toEqual({ ...text("out of order"), isError: true });
  expect(await call("resources/list")).toEqual({ code: -32601, message: "Method not found" });
});

test("zod 3, JSON Schema and a server that is always loaded", async () => {
  const three = tool("three", "d", { a: z3.string() }, async ({ a }) => text(a.toUpperCase()));
  const raw = tool("raw", "d", { type: "object", properties: { a: {} } }, async (args) => text(JSON.stringify(args)));
  const { call } = clientOf(createSdkMcpServer({ name: "calc", alwaysLoad: true, tools: [three, raw] }));
  const { tools } = await call("tools/list");
  expect(tools.map(({ name, inputSchema, _meta }: any) => [name, inputSchema, _meta])).toEqual([
    [
      "three",
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { "anthropic/alwaysLoad": true },
    ],
    ["raw", { type: "object", properties: { a: {} } }, { "anthropic/alwaysLoad": true }],
  ]);
  expect(await call("tools/call", { name: "three", arguments: { a: "x" } })).toEqual(text("X"));
  expect(await call("tools/call", { name: "raw", arguments: { b: 1 } })).toEqual(text('{"b":1}'));
});

test("a tool whose input has no JSON Schema is skipped with a warning", async () => {
  const warning = new Promise<Error>((resolve) => process.once("warning", resolve));
  const odd = tool("odd", "d", { f: z3.function() as any }, async () => text(""));
  const { call } = clientOf(createSdkMcpServer({ name: "calc", tools: [odd, add] }));
  expect((await call("tools/list")).tools.map(({ name }: any) => name)).toEqual(["add"]);
  expect((await warning).message).toContain('"odd"');
});

test("a call can be cancelled, and can report progress", async () => {
  const seen: unknown[] = [];
  let begun = () => {};
  const slow = tool("slow", "d", {}, async (_, extra: any) => {
    seen.push([extra.requestId, extra._meta]);
    await extra.sendNotification({ method: "notifications/progress", params: { progress: 1 } });
    const aborted = new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
    begun();
    await aborted;
    seen.push("aborted");
    return text("late");
  });
  const client = clientOf(createSdkMcpServer({ name: "calc", tools: [slow] }));
  const call = async (id: number, signal?: AbortSignal) => {
    const running = new Promise<void>((resolve) => (begun = resolve));
    const params = { name: "slow", _meta: { progressToken: id } };
    const answer = client.send({ jsonrpc: "2.0", id, method: "tools/call", params }, signal);
    await running;
    return { answer };
  };

  const first = await call(1);
  await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await first.answer).toEqual({ mcp_response: { jsonrpc: "2.0", id: 1, result: text("late") } });

  const withdrawn = new AbortController();
  const second = await call(2, withdrawn.signal);
  withdrawn.abort();
  expect(await second.answer).toBe(NO_ANSWER);
  expect(seen).toEqual([[1, { progressToken: 1 }], "aborted", [2, { progressToken: 2 }], "aborted"]);
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
  expect(client.said).toEqual([
    ["calc", progress],
    ["calc", progress],
  ] as any);
});

/** Behaves like an official McpServer: it uses a transport, and sends requests to its client. */
function foreignServer(): McpServerInstance & { transport?: McpTransport; closed: boolean } {
  return {
    closed: false,
    async connect(transport) {
      this.transport = transport;
      const heard = (message: JSONRPCMessage) => {
        if (message.method === "tools/call") {
          void transport.send({ jsonrpc: "2.0", id: "q1", method: "elicitation/create" });
        } else if (message.id === "q1") void transport.send({ jsonrpc: "2.0", id: 7, result: message.result });
      };
      Object.assign(transport, { onclose: () => (this.closed = true), onmessage: heard });
      await transport.start();
    },
    async close() {
      await this.transport?.close();
    },
  };
}

test("another server implementation may ask its client something during a call", async () => {
  const instance = foreignServer();
  const client = clientOf({ type: "sdk", name: "calc", instance });
  const called = client.send({ jsonrpc: "2.0", id: 7, method: "tools/call", params: {} });
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(client.said).toEqual([["calc", { jsonrpc: "2.0", id: "q1", method: "elicitation/create" }]]);
  await client.send({ jsonrpc: "2.0", id: "q1", result: { action: "decline" } });
  expect(await called).toEqual({ mcp_response: { jsonrpc: "2.0", id: 7, result: { action: "decline" } } });
});

test("replaced servers are closed, and their open calls are answered", async () => {
  const instance = foreignServer();
  const client = clientOf({ type: "sdk", name: "calc", instance });
  const open = client.send({ jsonrpc: "2.0", id: 9, method: "never/answered" });
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  client.servers.replace({ other: createSdkMcpServer({ name: "other" }) });
  expect(await open).toEqual({
    mcp_response: { jsonrpc: "2.0", id: 9, error: { code: -32000, message: "Connection closed" } },
  });
  expect([instance.closed, client.servers.names]).toEqual([true, ["other"]]);
  const gone = client.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect(await gone.catch((error: Error) => error.message)).toBe("SDK MCP server not found: calc");
});

test("one server serves any number of concurrent queries", async () => {
  const server = createSdkMcpServer({ name: "calc", tools: [add] });
  const clients = [clientOf(server), clientOf(server), clientOf(server)];
  clients[2]!.servers.close();
  const sums = clients.slice(0, 2).map((client, a) => client.call("tools/call", { name: "add", arguments: { a } }));
  expect(await Promise.all(sums)).toEqual([text(1), text(2)]);
});
