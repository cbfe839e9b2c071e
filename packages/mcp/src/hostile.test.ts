// Servers that mean no good, or do not know better. Connecting to them ends, is bounded, and harms nobody else.

import { expect, test } from "bun:test";
import { McpConnection } from "./connection.ts";
import { ADD, fakeServer, HELLO, NEVER, type FakeServer } from "./fake-server.test-support.ts";
import type { Transport } from "./client.ts";

async function meet({ transport }: Pick<FakeServer, "transport">, name = "calc") {
  const problems: string[] = [];
  const connection = new McpConnection({
    name,
    transport,
    timeoutMs: 30,
    callTimeoutMs: 30,
    onProblem: (problem) => problems.push(problem),
  });
  await connection.open();
  return { connection, problems, names: connection.tools.map(({ tool }) => tool.name) };
}

test.each([
  ["never answers", { initialize: NEVER }, "MCP error -32001: Request timed out"],
  ["greets and then never lists", { "tools/list": NEVER }, "MCP error -32001: Request timed out"],
  ["greets with a number", { initialize: () => 7 }, "MCP error -32603: the answer to initialize is not an object"],
  [
    "lists no list",
    { "tools/list": { tools: { add: ADD } } },
    "MCP error -32603: the answer to tools/list has no list of tools",
  ],
  [
    "breaks",
    { initialize: () => Promise.reject(new Error("x".repeat(100_000))) },
    `MCP error -32000: ${"x".repeat(482)}`,
  ],
])("one that %s has failed, and says why", async (_, answers, error) => {
  const { connection } = await meet(fakeServer(answers));
  expect([connection.status, connection.error, connection.tools]).toEqual(["failed", error, []]);
});

test("one that answers with nothing at all has failed", async () => {
  const transport: Transport = { send: async () => ({}) };
  expect((await meet({ transport })).connection.status).toBe("failed");
});

test("one whose pages never end is read as far as anybody could use it", async () => {
  let page = 0;
  const server = fakeServer({
    "tools/list": () => ({ tools: [{ ...ADD, name: `t${page}` }], nextCursor: `${++page}` }),
  });
  const { connection, names } = await meet(server);
  expect([connection.status, names.length, page]).toEqual(["connected", 100, 100]);
});

test("one whose pages go in a circle is left at its start", async () => {
  const server = fakeServer({ "tools/list": { tools: [ADD], nextCursor: "again" } });
  const { names, problems } = await meet(server);
  expect([names, problems]).toEqual([["mcp__calc__add"], ['The tool "add" is listed twice; the first one counts']]);
});

test("one with a hundred thousand tools offers a thousand", async () => {
  const tools = Array.from({ length: 100_000 }, (_, n) => ({ ...ADD, name: `t${n}`, description: "x".repeat(100) }));
  const { names, problems } = await meet(fakeServer({ "tools/list": { tools } }));
  expect([names.length, problems]).toEqual([1_000, ["Only the first 1000 tools are used"]]);
});

test("two tools of one name, before or after spelling it for the API, are one tool", async () => {
  const tools = [ADD, { ...ADD, description: "another" }, { ...ADD, name: "a.b" }, { ...ADD, name: "a b" }];
  const { connection, names, problems } = await meet(fakeServer({ "tools/list": { tools } }));
  expect(names).toEqual(["mcp__calc__add", "mcp__calc__a_b"]);
  expect(connection.tools[0]?.tool.description).toBe("Adds two numbers");
  expect(problems).toEqual([
    'The tool "add" is listed twice; the first one counts',
    'The tool "a b" was left out: another one is called mcp__calc__a_b, too',
  ]);
});

test("a tool named like one of ours is called otherwise", async () => {
  const tools = ["Bash", "Read", "__proto__", "constructor"].map((name) => ({ ...ADD, name }));
  const { names } = await meet(fakeServer({ "tools/list": { tools } }));
  expect(names).toEqual(["mcp__calc__Bash", "mcp__calc__Read", "mcp__calc____proto__", "mcp__calc__constructor"]);
});

test("tools that cannot be offered are left out and named; the rest stays", async () => {
  const tools: unknown[] = [
    null,
    7,
    {},
    { ...ADD, name: 7 },
    { ...ADD, name: "" },
    { ...ADD, name: "n".repeat(1_000) },
    { name: "none" },
    { name: "text", inputSchema: "object" },
    { name: "list", inputSchema: [] },
    { name: "array", inputSchema: { type: "array" } },
    { name: "deep", inputSchema: { type: "object", properties: nested(200_000) } },
    { ...ADD, description: 7, annotations: "?", _meta: [] },
  ];
  const { names, problems } = await meet(fakeServer({ "tools/list": () => ({ tools }) }));
  expect(names).toEqual(["mcp__calc__add"]);
  expect(problems).toEqual([
    "A tool that is not an object was left out",
    "A tool without a name was left out",
    `The tool "${"n".repeat(40)}…" was left out: its name is too long`,
    'The tool "none" was left out: its input schema is not an object',
    'The tool "text" was left out: its input schema is not an object',
    'The tool "list" was left out: its input schema is not an object',
    'The tool "array" was left out: its input schema does not describe an object',
    'The tool "deep" was left out: its input schema is too large',
  ]);
});

test("names that only together are too long for the API are left out", async () => {
  const tools = [ADD, { ...ADD, name: "t".repeat(100) }];
  const { names, problems } = await meet(fakeServer({ "tools/list": { tools } }), "s".repeat(100));
  expect([names, problems.length]).toEqual([[`mcp__${"s".repeat(100)}__add`], 1]);
});

test("complaints about a server come to an end", async () => {
  const tools = Array.from({ length: 900 }, (_, n) => ({ name: `t${n}` }));
  const { connection, problems } = await meet(fakeServer({ "tools/list": { tools } }));
  for (let n = 0; n < 50; n++) {
    connection.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await connection.refreshTools();
  }
  expect(problems.length).toBe(20);
});

test.each([
  ["when it is asked", (changed: () => void) => changed()],
  ["after it has answered", (changed: () => void) => setImmediate(changed)],
])("one that says its list changed %s, every time, does not keep us busy", async (_, when) => {
  let lists = 0;
  const server = fakeServer({
    "tools/list": () => {
      lists++;
      when(() => connection.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
      return { tools: [ADD] };
    },
  });
  const connection = new McpConnection({
    name: "calc",
    transport: server.transport,
    timeoutMs: 100,
    callTimeoutMs: 100,
  });
  await connection.open();
  for (let run = 0; run < 5; run++) {
    await connection.refreshTools();
    for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
  }
  // At most one because of each `fresh`, and one unbidden before the next.
  expect(lists).toBeLessThanOrEqual(1 + 5 * 2);
  expect(lists).toBeGreaterThanOrEqual(6);
});

test("what it says of itself is bounded", async () => {
  const initialize = { ...HELLO, serverInfo: { name: "n".repeat(1e6), version: 1 }, instructions: "i".repeat(1e6) };
  const { connection } = await meet(fakeServer({ initialize }));
  expect(JSON.stringify(connection.facts).length).toBeLessThan(2_400);
});

function nested(depth: number): object {
  let inner: object = {};
  for (let n = 0; n < depth; n++) inner = { inner };
  return inner;
}
