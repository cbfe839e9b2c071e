import { expect, test } from "bun:test";
import { VERSION, type JsonObject } from "@keelson/protocol";
import { McpConnection, type ConnectionOptions } from "./connection.ts";
import { ADD, HELLO } from "./fake-server.test-support.ts";
import { linkedServer, type LinkedServer } from "./linked-server.test-support.ts";

const capabilities = { roots: {}, elicitation: { form: {} } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "keelson", title: "Keelson", version: VERSION },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
};
const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true }, prompts: {} },
  instructions: "Be brief.",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "2" } },
};

/** A server that knows only the protocol of 2026-07-28. */
function newServer(more: Record<string, (params: JsonObject) => unknown> = {}): LinkedServer {
  return linkedServer((method, params) => {
    if (more[method]) return more[method](params);
    switch (method) {
      case "initialize":
        return { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28"] } };
      case "server/discover":
        return DISCOVERED;
      case "tools/list":
        return { resultType: "complete", tools: [ADD] };
      case "tools/call":
        return { resultType: "complete", content: [{ type: "text", text: "3" }] };
      default:
        return undefined;
    }
  });
}

async function connect({ transport }: LinkedServer, options: Partial<ConnectionOptions> = {}) {
  const limits = { timeoutMs: 20_000, callTimeoutMs: 20_000 };
  const connection = new McpConnection({
    name: "n",
    transport,
    capabilities,
    mayDiscover: true,
    ...limits,
    ...options,
  });
  await connection.open();
  return connection;
}

const signal = new AbortController().signal;

test("a server that rejects initialize is discovered; every message then says who sends it", async () => {
  const server = newServer();
  const connection = await connect(server);
  expect([connection.status, connection.error, connection.facts]).toEqual([
    "connected",
    undefined,
    {
      hasTools: true,
      hasPrompts: true,
      hasResources: false,
      openedBy: "discover",
      announces: ["tools"],
      protocolVersion: "2026-07-28",
      serverInfo: { name: "new", version: "2" },
      instructions: "Be brief.",
    },
  ]);
  await connection.call("add", { a: 1 }, { signal, toolUseId: "t" });
  expect(server.heard.slice(1)).toEqual([
    { method: "server/discover", params: { _meta: META }, jsonrpc: "2.0", id: 1 },
    { method: "tools/list", params: { _meta: META }, jsonrpc: "2.0", id: 2 },
    {
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true }, _meta: META },
      jsonrpc: "2.0",
      id: 3,
    },
    {
      method: "tools/call",
      params: {
        name: "add",
        arguments: { a: 1 },
        _meta: { ...META, "claudecode/toolUseId": "t", progressToken: 4 },
      },
      jsonrpc: "2.0",
      id: 4,
    },
  ]);
  expect(server.versions).toEqual(["2026-07-28"]);
});

test("in the newer protocol, requests from the server are not answered, and announcements are heard", async () => {
  const changes: string[] = [];
  const changed = Promise.withResolvers<void>();
  const server = newServer();
  await connect(server, {
    onListChanged: (kind) => {
      changes.push(kind);
      if (kind === "tools") changed.resolve();
    },
  });
  const before = server.heard.length;
  server.say({ id: 1, method: "ping" });
  expect(server.heard.length).toBe(before);
  server.say({ method: "notifications/prompts/list_changed" });
  server.say({ method: "notifications/tools/list_changed" });
  await changed.promise;
  expect(changes).toEqual(["prompts", "tools"]);
});

test("what a result asks for is answered, and the request is sent again with the answers", async () => {
  const calls: JsonObject[] = [];
  const server = newServer({
    "tools/call": (params) => {
      calls.push(params);
      if (calls.length > 2) return { resultType: "complete", content: [{ type: "text", text: "done" }] };
      return {
        resultType: "input_required",
        inputRequests: {
          name: { method: "elicitation/create", params: { message: `Question ${calls.length}` } },
          where: { method: "roots/list" },
        },
        requestState: `state ${calls.length}`,
      };
    },
  });
  const connection = await connect(server, {
    handlers: {
      "elicitation/create": async ({ message }) => ({ action: "accept", content: { to: message! } }),
      "roots/list": async () => ({ roots: [] }),
    },
  });
  const result = await connection.call("add", {}, { signal });
  expect(result?.blocks).toEqual([{ type: "text", text: "done" }]);
  const retry = (n: number) => ({
    name: "add",
    arguments: {},
    requestState: `state ${n}`,
    inputResponses: {
      name: { action: "accept", content: { to: `Question ${n}` } },
      where: { roots: [] },
    },
    _meta: META,
  });
  expect(calls.slice(1)).toEqual([retry(1), retry(2)]);
});

test.each([
  [
    "asks again and again",
    { inputRequests: { a: { method: "roots/list" } } },
    "MCP error -32603: the server asked for input more than 10 times",
  ],
  [
    "asks a hundred questions",
    { inputRequests: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n, { method: "roots/list" }])) },
    "MCP error -32603: the server asked more than 20 questions at once",
  ],
  [
    "asks what nobody can answer",
    { inputRequests: { a: { method: "sampling/createMessage" } } },
    "MCP error -32601: Method not found: sampling/createMessage",
  ],
  ["asks with nonsense", { inputRequests: { a: 7 } }, "MCP error -32601: Method not found: undefined"],
])("a call to a server that %s fails", async (_, answer, message) => {
  const server = newServer({ "tools/call": () => ({ resultType: "input_required", ...answer }) });
  const connection = await connect(server, { handlers: { "roots/list": async () => ({ roots: [] }) } });
  expect(connection.call("add", {}, { signal })).rejects.toThrow(message);
});

test("a server that knows neither way fails with its answer to initialize", async () => {
  const reject = () => ({ code: -32601, message: "Method not found" });
  const both = linkedServer(reject);
  const connection = await connect(both);
  expect([connection.status, connection.error]).toEqual(["failed", "MCP error -32601: Method not found"]);
  expect(both.heard.map(({ method }) => method)).toEqual(["initialize", "server/discover"]);
  expect(both.isClosed()).toBe(true);

  const one = linkedServer(reject);
  await connect(one, { mayDiscover: false });
  expect(one.heard.map(({ method }) => method)).toEqual(["initialize"]);

  const later = newServer({ "server/discover": () => ({ ...DISCOVERED, supportedVersions: ["2027-01-01"] }) });
  expect((await connect(later)).error).toBe("MCP error -32022: Unsupported protocol version");
});

test("a server may answer initialize with an older version, which the transport learns", async () => {
  const server = linkedServer((method) => {
    if (method === "initialize") return { ...HELLO, protocolVersion: "2024-11-05", capabilities: {} };
  });
  const connection = await connect(server);
  expect([connection.facts?.protocolVersion, server.versions]).toEqual(["2024-11-05", ["2024-11-05"]]);
  expect(server.heard[0]).toMatchObject({ params: { protocolVersion: "2025-11-25", capabilities } });
});

test.each([
  [{}, true],
  [[], true],
  [true, true],
  [false, false],
  [null, false],
])("a server that announces its tools with %j is asked for them: %p", async (tools, isAsked) => {
  const server = linkedServer((method) => {
    if (method === "initialize") return { ...HELLO, capabilities: { tools } } as JsonObject;
    return method === "tools/list" ? { tools: [ADD] } : undefined;
  });
  expect((await connect(server)).tools.length).toBe(isAsked ? 1 : 0);
});

test("a call that needs a URL is made again when the user is done there", async () => {
  let calls = 0;
  const elicitation = { elicitationId: "e1", url: "https://example.com/sign", message: "Sign in" };
  const server = linkedServer((method) => {
    if (method === "initialize") return HELLO;
    if (method === "tools/list") return { tools: [ADD] };
    if (method !== "tools/call") return undefined;
    return ++calls === 1
      ? { code: -32042, message: "URL elicitation required", data: { elicitations: [elicitation] } }
      : { content: [{ type: "text", text: "signed in" }] };
  });
  const asked: JsonObject[] = [];
  const completed: string[] = [];
  let action = "accept";
  const connection = await connect(server, {
    onElicitationComplete: (id) => completed.push(id),
    handlers: {
      "elicitation/create": async (params) => {
        asked.push(params);
        setImmediate(() =>
          server.say({ method: "notifications/elicitation/complete", params: { elicitationId: "e1" } }),
        );
        return { action };
      },
    },
  });
  expect((await connection.call("add", {}, { signal }))?.blocks).toEqual([{ type: "text", text: "signed in" }]);
  expect([asked, completed, calls]).toEqual([[{ ...elicitation, mode: "url" }], ["e1"], 2]);

  calls = 0;
  action = "decline";
  expect(connection.call("add", {}, { signal })).rejects.toThrow("MCP error -32042: URL elicitation required");
});

test("if the connection ends, the status says why, and calls may go elsewhere", async () => {
  const reasons: string[] = [];
  const server = newServer();
  const connection = await connect(server, {
    onClosed: ({ message }) => reasons.push(message),
    callThrough: async (tool) => ({ raw: [], blocks: [{ type: "text", text: `again: ${tool}` }], isError: false }),
  });
  server.break(new Error("The program exited with code 3"));
  expect([connection.status, connection.error, reasons]).toEqual([
    "failed",
    "MCP error -32000: Connection closed. The program exited with code 3",
    ["The program exited with code 3"],
  ]);
  expect(connection.call("add", {}, { signal })).toBeUndefined();
  const [{ tool }] = connection.tools as [(typeof connection.tools)[number]];
  const context = { toolUseId: "t", signal } as Parameters<typeof tool.run>[1];
  expect(await tool.run({}, context)).toEqual([{ type: "text", text: "again: add" }]);
});

test("a transport that does not start fails the connection, also if it hangs", async () => {
  const fails = { start: () => Promise.reject(new Error('Program not found: "x"')), send: async () => undefined };
  const hangs = { start: () => new Promise<void>(() => undefined), send: async () => undefined };
  const talks = { ...hangs, noise: () => "skipped output lines that are not JSON: 2" };
  const limits = { name: "n", timeoutMs: 10, callTimeoutMs: 10 };
  const results = [fails, hangs, talks].map((transport) => new McpConnection({ ...limits, transport }));
  for (const connection of results) await connection.open();
  const timedOut = "MCP error -32001: Request timed out: no answer within 0.01 s";
  expect(results.map(({ error }) => error)).toEqual([
    'Program not found: "x"',
    timedOut,
    `${timedOut}; skipped output lines that are not JSON: 2`,
  ]);
});
