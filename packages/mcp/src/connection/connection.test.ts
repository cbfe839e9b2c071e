import { expect, test } from "bun:test";
import { VERSION } from "@keelson/protocol";
import { McpConnection } from "./connection.ts";
import { ADD, fakeServer, HELLO, type FakeServer } from "./fake-server.test-support.ts";

const signal = new AbortController().signal;

function connectionTo({ transport }: FakeServer, options: { timeoutMs?: number; onProblem?(text: string): void } = {}) {
  return new McpConnection({ name: "calc", transport, timeoutMs: 1_000, callTimeoutMs: 1_000, ...options });
}

const methods = ({ heard }: FakeServer) => heard.map(({ method }) => method);
const names = (connection: McpConnection) => connection.tools.map(({ tool }) => tool.name);

test("open() initializes the server and lists its tools", async () => {
  const server = fakeServer({ initialize: { ...HELLO, instructions: "Use it for sums." } });
  const connection = connectionTo(server);
  expect(connection.status).toBe("pending");
  await connection.open();
  expect([connection.status, connection.facts]).toEqual([
    "connected",
    {
      hasTools: true,
      hasPrompts: false,
      hasResources: false,
      openedBy: "initialize",
      announces: [],
      protocolVersion: "2025-11-25",
      serverInfo: { name: "calc", version: "1.0.0" },
      instructions: "Use it for sums.",
    },
  ]);
  expect(server.heard).toEqual([
    {
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "keelson", title: "Keelson", version: VERSION },
      },
      jsonrpc: "2.0",
      id: 0,
    },
    { method: "notifications/initialized", jsonrpc: "2.0" },
    { method: "tools/list", params: {}, jsonrpc: "2.0", id: 1 },
  ]);
  const [{ tool }] = connection.tools as [(typeof connection.tools)[number]];
  expect([tool.name, tool.description, tool.input.json, tool.parallelSafe]).toEqual([
    "mcp__calc__add",
    "Adds two numbers",
    ADD.inputSchema,
    false,
  ]);
});

test("open() does not list tools if the server has none", async () => {
  const server = fakeServer({ initialize: { serverInfo: {}, capabilities: {} } });
  const connection = connectionTo(server);
  await connection.open();
  expect([connection.status, methods(server)]).toEqual(["connected", ["initialize", "notifications/initialized"]]);
});

test("open() does not request what the manifest contains", async () => {
  const server = fakeServer();
  const full = connectionTo(server);
  await full.open({ initializeResult: HELLO, toolsListResult: { tools: [ADD] } });
  expect([full.status, names(full), methods(server)]).toEqual(["connected", ["mcp__calc__add"], []]);

  const half = connectionTo(server);
  await half.open({ initializeResult: HELLO, toolsListResult: "?" });
  expect([half.status, names(half), methods(server)]).toEqual(["connected", ["mcp__calc__add"], ["tools/list"]]);

  const none = connectionTo(server);
  await none.open({ initializeResult: 7, toolsListResult: { tools: [] } });
  expect([none.status, names(none)]).toEqual(["connected", ["mcp__calc__add"]]);
});

test("open() reads all pages of the tool list", async () => {
  const server = fakeServer({
    "tools/list": ({ cursor }) =>
      cursor === undefined
        ? { tools: [ADD], nextCursor: "2" }
        : { tools: [{ ...ADD, name: `after ${String(cursor)}` }] },
  });
  const connection = connectionTo(server);
  await connection.open();
  expect(names(connection)).toEqual(["mcp__calc__add", "mcp__calc__after_2"]);
});

test("annotations decide what may run in parallel, and are available to clients", async () => {
  const annotations = { title: "Sum", readOnlyHint: true, destructiveHint: false, openWorldHint: "?" };
  const connection = connectionTo(fakeServer({ "tools/list": { tools: [{ ...ADD, annotations }] } }));
  await connection.open();
  const [{ facts, tool }] = connection.tools as [(typeof connection.tools)[number]];
  expect([facts.title, facts.annotations, tool.parallelSafe]).toEqual([
    "Sum",
    { readOnly: true, destructive: false },
    true,
  ]);
});

test("long descriptions and instructions are cut", async () => {
  const tools = [{ ...ADD, description: "x".repeat(50_000) }];
  const initialize = { ...HELLO, instructions: "y".repeat(50_000) };
  const connection = connectionTo(fakeServer({ initialize, "tools/list": { tools } }));
  await connection.open();
  expect([connection.tools[0]?.tool.description, connection.facts?.instructions]).toEqual([
    `${"x".repeat(4_096)}… [truncated]`,
    `${"y".repeat(4_096)}… [truncated]`,
  ]);
});

test("a changed list is fetched again, one request at a time", async () => {
  const server = fakeServer();
  const connection = connectionTo(server);
  await connection.open();
  server.answers["tools/list"] = { tools: [{ ...ADD, name: "subtract" }] };
  for (let n = 0; n < 100; n++) {
    connection.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  }
  expect(connection.isStale).toBe(true);
  await connection.refreshTools();
  expect([names(connection), methods(server).length]).toEqual([["mcp__calc__subtract"], 4]);
  // The other notifications arrived during the fetch; the next refresh covers them.
  expect(connection.isStale).toBe(true);
  await connection.refreshTools();
  expect([connection.isStale, methods(server).length]).toEqual([false, 5]);
});

test("a failed refresh keeps the known tools", async () => {
  const server = fakeServer();
  const connection = connectionTo(server);
  await connection.open();
  server.answers["tools/list"] = { tools: "none" };
  connection.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await connection.refreshTools();
  expect(names(connection)).toEqual(["mcp__calc__add"]);
});

test("a call by a hook has no tool use id", async () => {
  const server = fakeServer();
  const connection = connectionTo(server);
  await connection.open();
  expect((await connection.call("add", { a: 1 }, { signal }))?.blocks).toEqual([{ type: "text", text: "3" }]);
  expect(server.heard.at(-1)).toMatchObject({ params: { name: "add", arguments: { a: 1 } } });
  expect(server.heard.at(-1)?.["params"]).not.toHaveProperty("_meta");
  expect(connection.call("subtract", {}, { signal })).toBeUndefined();
});

test("a closed connection has no tools, and tools obtained earlier fail with the reason", async () => {
  const connection = connectionTo(fakeServer());
  await connection.open();
  const [{ tool }] = connection.tools as [(typeof connection.tools)[number]];
  connection.close();
  expect([connection.tools, connection.call("add", {}, { signal })]).toEqual([[], undefined]);
  const context = { toolUseId: "t", signal } as Parameters<typeof tool.run>[1];
  expect(tool.run({}, context)).rejects.toThrow("MCP error -32000: Connection closed");
});
