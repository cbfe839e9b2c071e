// Broken and malicious servers: connecting finishes, uses limited resources, and affects no other server.

import { expect, test } from "bun:test";
import { McpConnection } from "./connection.ts";
import { ADD, fakeServer, HELLO, NEVER, type FakeServer } from "./fake-server.test-support.ts";
import type { Transport } from "./client.ts";

async function connect({ transport }: Pick<FakeServer, "transport">, name = "calc") {
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
  ["never answers", { initialize: NEVER }, "MCP error -32001: Request timed out: no answer within 0.03 s"],
  [
    "initializes and then never lists",
    { "tools/list": NEVER },
    "MCP error -32001: Request timed out: no answer within 0.03 s",
  ],
  ["initializes with a number", { initialize: () => 7 }, "MCP error -32603: the result of initialize is not an object"],
  [
    "returns tools that are not a list",
    { "tools/list": { tools: { add: ADD } } },
    "MCP error -32603: the result of tools/list has no list of tools",
  ],
  [
    "throws",
    { initialize: () => Promise.reject(new Error("x".repeat(100_000))) },
    `MCP error -32000: ${"x".repeat(482)}`,
  ],
])("a server that %s fails with a reason", async (_, answers, error) => {
  const { connection } = await connect(fakeServer(answers));
  expect([connection.status, connection.error, connection.tools]).toEqual(["failed", error, []]);
});

test("a server that answers with an empty object fails", async () => {
  const transport: Transport = { send: async () => ({}) };
  expect((await connect({ transport })).connection.status).toBe("failed");
});

test("an endless list of pages is read up to the limit", async () => {
  let page = 0;
  const server = fakeServer({
    "tools/list": () => ({ tools: [{ ...ADD, name: `t${page}` }], nextCursor: `${++page}` }),
  });
  const { connection, names } = await connect(server);
  expect([connection.status, names.length, page]).toEqual(["connected", 100, 100]);
});

test("reading stops at a cursor that repeats", async () => {
  const server = fakeServer({ "tools/list": { tools: [ADD], nextCursor: "again" } });
  const { names, problems } = await connect(server);
  expect([names, problems]).toEqual([["mcp__calc__add"], ['The tool "add" is listed twice; using the first']]);
});

test("of a hundred thousand tools, the first thousand are used", async () => {
  const tools = Array.from({ length: 100_000 }, (_, n) => ({ ...ADD, name: `t${n}`, description: "x".repeat(100) }));
  const { names, problems } = await connect(fakeServer({ "tools/list": { tools } }));
  expect([names.length, problems]).toEqual([1_000, ["Too many tools; using the first 1000"]]);
});

test("tools with the same name, also after normalizing, become one tool", async () => {
  const tools = [ADD, { ...ADD, description: "another" }, { ...ADD, name: "a.b" }, { ...ADD, name: "a b" }];
  const { connection, names, problems } = await connect(fakeServer({ "tools/list": { tools } }));
  expect(names).toEqual(["mcp__calc__add", "mcp__calc__a_b"]);
  expect(connection.tools[0]?.tool.description).toBe("Adds two numbers");
  expect(problems).toEqual([
    'The tool "add" is listed twice; using the first',
    'Skipped the tool "a b": another tool is already named "mcp__calc__a_b"',
  ]);
});

test("a tool with the name of a built-in tool gets a prefix", async () => {
  const tools = ["Bash", "Read", "__proto__", "constructor"].map((name) => ({ ...ADD, name }));
  const { names } = await connect(fakeServer({ "tools/list": { tools } }));
  expect(names).toEqual(["mcp__calc__Bash", "mcp__calc__Read", "mcp__calc____proto__", "mcp__calc__constructor"]);
});

test("invalid tools are skipped and reported; the rest are used", async () => {
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
  const { names, problems } = await connect(fakeServer({ "tools/list": () => ({ tools }) }));
  expect(names).toEqual(["mcp__calc__add"]);
  expect(problems).toEqual([
    "Skipped a tool that is not an object",
    "Skipped a tool without a name",
    `Skipped the tool "${"n".repeat(40)}…": its name is too long`,
    'Skipped the tool "none": its input schema is not an object',
    'Skipped the tool "text": its input schema is not an object',
    'Skipped the tool "list": its input schema is not an object',
    'Skipped the tool "array": its input schema does not describe an object',
    'Skipped the tool "deep": its input schema is too large',
  ]);
});

test("a tool is skipped if server name and tool name together are too long", async () => {
  const tools = [ADD, { ...ADD, name: "t".repeat(100) }];
  const { names, problems } = await connect(fakeServer({ "tools/list": { tools } }), "s".repeat(100));
  expect([names, problems.length]).toEqual([[`mcp__${"s".repeat(100)}__add`], 1]);
});

test("the number of reported problems is limited", async () => {
  const tools = Array.from({ length: 900 }, (_, n) => ({ name: `t${n}` }));
  const { connection, problems } = await connect(fakeServer({ "tools/list": { tools } }));
  for (let n = 0; n < 50; n++) {
    connection.deliver({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await connection.refreshTools();
  }
  expect(problems.length).toBe(20);
});

test.each([
  ["during each request", (changed: () => void) => changed()],
  ["after each answer", (changed: () => void) => setImmediate(changed)],
])("a server that sends list_changed %s does not keep us busy", async (_, when) => {
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
  // At most one for each `refreshTools`, and one triggered by the server before the next.
  expect(lists).toBeLessThanOrEqual(1 + 5 * 2);
  expect(lists).toBeGreaterThanOrEqual(6);
});

test("server name and instructions are limited in length", async () => {
  const initialize = { ...HELLO, serverInfo: { name: "n".repeat(1e6), version: 1 }, instructions: "i".repeat(1e6) };
  const { connection } = await connect(fakeServer({ initialize }));
  expect(JSON.stringify(connection.facts).length).toBeLessThan(4_600);
});

test("an error message is shown without control characters", async () => {
  const initialize = () => Promise.reject(new Error("no\u001b[31m\u202e\nway"));
  const { connection } = await connect(fakeServer({ initialize }));
  expect(connection.error).toBe("MCP error -32000: no[31m way");
});

test("of a flood of log messages, a thousand are passed on in a minute", () => {
  const logs: unknown[] = [];
  const { transport } = fakeServer();
  const onLog = (message: unknown) => logs.push(message);
  const connection = new McpConnection({ name: "calc", transport, timeoutMs: 30, callTimeoutMs: 30, onLog });
  const params = { level: "info\u0007", logger: "a\nb", data: { deep: nested(100_000) } };
  for (let n = 0; n < 2_000; n++) connection.deliver({ jsonrpc: "2.0", method: "notifications/message", params });
  expect([logs.length, logs[0]]).toEqual([
    1_000,
    { level: "info", logger: "a b", text: "[value omitted: nested too deeply]" },
  ]);
});

function nested(depth: number): object {
  let inner: object = {};
  for (let n = 0; n < depth; n++) inner = { inner };
  return inner;
}
