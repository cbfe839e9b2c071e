import { expect, test } from "bun:test";
import { McpConnection, sdkTransport } from "@keelson/mcp";
import { controlError, controlSuccess, type JsonObject } from "@keelson/protocol";
import { mcpBridges } from "../../controls/mcp-bridge.ts";
import { serverFromConfiguration, serversFromInitialize } from "./server-config.ts";
import { connectTimeout } from "./server-limits.ts";
import { McpServers } from "./servers.ts";
import * as requests from "../../controls/handlers/mcp.ts";
import type { ControlContext, ControlHandler } from "../../controls/reply.ts";
import type { ControlTargets } from "../../controls/targets.ts";

const on = new AbortController().signal;

test("a run gets the tools of all servers, sorted", async () => {
  const { servers, received } = client({ docs: ["search"], calc: ["subtract", "add"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["docs", "calc"] }));
  expect(servers.summary()).toEqual([
    { name: "docs", status: "pending", source: "sdk" },
    { name: "calc", status: "pending", source: "sdk" },
  ]);
  expect(servers.tools()).toEqual([]);

  await servers.ready(on);

  expect(toolNames(servers)).toEqual(["mcp__calc__add", "mcp__calc__subtract", "mcp__docs__search"]);
  expect(servers.summary()[1]).toEqual({ name: "calc", status: "connected", source: "sdk" });
  expect(servers.status()).toEqual([
    {
      name: "docs",
      status: "connected",
      serverInfo: { name: "docs", version: "1.0.0" },
      transport: "sdk",
      scope: "dynamic",
      source: "sdk",
      tools: [{ name: "search", annotations: {} }],
    },
    expect.objectContaining({
      name: "calc",
      tools: [
        { name: "subtract", annotations: {} },
        { name: "add", annotations: {} },
      ],
    }),
  ]);
  expect(servers.originOf("mcp__docs__search")).toEqual({ server: "docs", source: "sdk", tool: "search" });
  expect(servers.originOf("Bash")).toBeUndefined();
  expect(servers.instructions()).toEqual([
    { name: "docs", instructions: "Ask docs." },
    { name: "calc", instructions: "Ask calc." },
  ]);
  expect(received("calc")).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

test("adding a server again changes nothing", async () => {
  const { servers, received } = client({ calc: ["add"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.ready(on);
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.ready(on);
  expect(received("calc").length).toBe(3);
});

test("servers of files make room for the client's, and come back after them; an administrator's do not", async () => {
  const { servers, ask } = client({});
  const inFile = (name: string, scope: "project" | "user" | "managed", more = {}) =>
    serverFromConfiguration({
      name,
      scope,
      config: { type: "stdio", command: "x", args: [], env: {} },
      written: {},
      ...more,
    });
  const untrusted = { untrusted: true } as const;
  servers.configure(
    [
      inFile("calc", "project"),
      inFile("calc__x", "project", untrusted),
      inFile("calc__y", "user"),
      inFile("c.alc", "project"),
      inFile("top", "managed"),
    ],
    [],
  );
  const shown = () => servers.summary().map(({ name, source }) => `${source} ${name}`);
  const all = shown();
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc", "top", "c_alc"] }));
  expect(shown()).toEqual(["user calc__y", "managed top", "sdk calc", "sdk c_alc"]);
  await ask(requests.mcpSetServers, { servers: {} });
  expect(shown().toSorted()).toEqual(all.toSorted());
  await servers.close();
});

test("a server fails if it takes longer than MCP_TIMEOUT or the client does not know it", async () => {
  const { servers } = client({ slow: "silent" }, { MCP_TIMEOUT: "10" });
  servers.add(serversFromInitialize({ sdkMcpServers: ["slow", "nobody"] }));
  await servers.ready(on);
  await settled(() => servers.summary().every(({ status }) => status === "failed"));
  const where = { transport: "sdk", scope: "dynamic", source: "sdk" };
  expect(servers.status()).toEqual([
    { name: "slow", status: "failed", error: "MCP error -32001: Request timed out: no answer within 0.01 s", ...where },
    { name: "nobody", status: "failed", error: "MCP error -32000: SDK MCP server not found: nobody", ...where },
  ]);
});

test("a changed tool list is loaded for the next run", async () => {
  const { servers, tools, say } = client({ calc: ["add"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.ready(on);
  tools["calc"] = ["multiply"];
  say("calc", { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  say("nobody", { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await servers.ready(on);
  expect(toolNames(servers)).toEqual(["mcp__calc__multiply"]);
});

test("a manifest replaces the handshake", async () => {
  const { servers, received } = client({ calc: ["add"] });
  const manifest = {
    initializeResult: { capabilities: { tools: {} } },
    toolsListResult: { tools: [{ name: "known", inputSchema: { type: "object" } }] },
  };
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"], sdkMcpServerManifests: { calc: manifest } }));
  await servers.ready(on);
  expect([toolNames(servers), received("calc")]).toEqual([["mcp__calc__known"], []]);
});

test("tool policies of the client become rules; denied tools are not offered", async () => {
  const { servers } = client({ calc: ["add", "ask", "wipe"] });
  const tools = [
    { name: "add", permission_policy: "always_allow" },
    { name: "ask", permission_policy: "always_ask" },
    { name: "wipe", permission_policy: "always_deny" },
  ];
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"], sdkMcpServerConfigs: { calc: { tools } } }));
  await servers.ready(on);
  expect(toolNames(servers)).toEqual(["mcp__calc__add", "mcp__calc__ask"]);
  const rule = (behavior: string, tool: string) => ({ behavior, tool, source: "cliArg", base: "/p", text: tool });
  expect(servers.rules("/p") as unknown).toEqual([
    rule("allow", "mcp__calc__add"),
    rule("ask", "mcp__calc__ask"),
    rule("deny", "mcp__calc__wipe"),
  ]);
});

test("if two server names normalize to the same name, the first keeps its tools", async () => {
  const { servers } = client({ "a b": ["x"], "a.b": ["x", "y"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["a b", "a.b"] }));
  await servers.ready(on);
  expect(toolNames(servers)).toEqual(["mcp__a_b__x", "mcp__a_b__y"]);
  expect(servers.originOf("mcp__a_b__x")?.server).toBe("a b");
});

test("a disabled server has no tools; an enabled one connects again", async () => {
  const { servers, received, ask } = client({ calc: ["add"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.ready(on);
  await servers.toggle("calc", false);
  expect([servers.tools(), servers.summary()]).toEqual([[], [{ name: "calc", status: "disabled", source: "sdk" }]]);
  expect(servers.get("calc")?.connection).toBeUndefined();
  await servers.toggle("calc", true);
  await servers.toggle("calc", true);
  await servers.ready(on);
  expect([toolNames(servers), received("calc").length]).toEqual([["mcp__calc__add"], 6]);
  expect(await ask(requests.mcpToggle, { serverName: "nope", enabled: true })).toEqual({
    ok: false,
    error: "Server not found: nope",
  });
});

test("a server disabled while it connects stays disabled", async () => {
  const { servers, received } = client({ calc: ["add"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.toggle("calc", false);
  await servers.ready(on);
  expect([servers.summary()[0]?.status, received("calc")]).toEqual(["disabled", []]);
});

test("mcp_set_servers replaces the client's servers", async () => {
  const { servers, received, ask } = client({ calc: ["add"], docs: ["search"], web: [] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc", "docs"] }));
  await servers.ready(on);
  const wanted = { docs: { type: "sdk", name: "docs" }, web: { type: "sdk", name: "web" } };
  expect(await ask(requests.mcpSetServers, { servers: wanted })).toEqual({
    ok: true,
    payload: { added: ["web"], removed: ["calc"], errors: {} },
  });
  await servers.ready(on);
  expect([toolNames(servers), received("docs").length]).toEqual([["mcp__docs__search"], 3]);
});

test("clients can call a tool without the model", async () => {
  const { servers, ask } = client({ calc: ["add", "fail"] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  await servers.ready(on);
  const asked = (tool: string) => ask(requests.mcpCall, { tool, arguments: { b: 2 } });
  const content = (text: string) => ({ content: [{ type: "text", text }] });
  expect(await asked("mcp__calc__add")).toEqual({ ok: true, payload: content('add {"b":2}') });
  expect(await asked("mcp__calc__fail")).toEqual({ ok: true, payload: { ...content('fail {"b":2}'), isError: true } });
  expect(await asked("mcp__nope__add")).toEqual({ ok: false, error: "MCP server not connected: nope" });
  expect(await asked("Bash")).toEqual({ ok: false, error: "Not a fully-qualified MCP tool name: Bash" });
  const error = 'MCP server "calc" has no tool for the name mcp__calc__divide';
  expect(await asked("mcp__calc__divide")).toEqual({ ok: false, error });
});

test("requests that SDK servers do not support get an error message", async () => {
  const { servers, ask } = client({ calc: [] });
  servers.add(serversFromInitialize({ sdkMcpServers: ["calc"] }));
  const error = async (handler: ControlHandler<any>, request: object) =>
    ((await ask(handler, request)) as { error?: string }).error;
  const { mcpReconnect, mcpReadResource, setMcpPermissionModeOverride } = requests;
  expect(await error(mcpReconnect, { serverName: "calc" })).toStartWith("mcp_reconnect does not support SDK MCP");
  expect(await error(mcpReconnect, { serverName: "nope" })).toBe("Server not found: nope");
  const read = (serverName: string) => error(mcpReadResource, { serverName, uri: "ui://x" });
  expect(await read("calc")).toContain("does not support SDK");
  expect(await read("nope")).toBe("MCP server not connected: nope");
  const override = (serverName: string, mode: unknown) => ask(setMcpPermissionModeOverride, { serverName, mode });
  expect(await override("nope", null)).toEqual({ ok: true });
  expect(await override("nope", "auto")).toEqual({ ok: true, payload: { warning: 'No MCP server "nope" yet' } });
  expect(await override("calc", null)).toEqual({ ok: true });
  expect(await override("calc", "auto")).toMatchObject({ ok: true, payload: { warning: expect.any(String) } });
});

test("close() cancels open calls and removes all servers", async () => {
  const { servers, withdrawn } = client({ slow: "silent" });
  servers.add(serversFromInitialize({ sdkMcpServers: ["slow"] }));
  const waiting = servers.ready(on);
  await settled(() => withdrawn.length === 1);
  await servers.close();
  await waiting;
  expect([servers.summary(), withdrawn[0]?.aborted]).toEqual([[], true]);
});

const toolNames = (servers: McpServers) => servers.tools().map(({ name }) => name);

/** A client with MCP servers: the names of their tools, or a server that never answers. */
function client(inside: Record<string, string[] | "silent">, env: Record<string, string> = {}) {
  const messages: [server: string, method: unknown][] = [];
  const withdrawn: AbortSignal[] = [];
  const bridges = mcpBridges(async (_client, { server_name, message }, signal) => {
    const name = String(server_name);
    const tools = inside[name];
    const { id, method, params } = message as JsonObject;
    messages.push([name, method]);
    if (tools === undefined) return controlError("r", `SDK MCP server not found: ${name}`).response;
    if (tools === "silent") {
      withdrawn.push(signal);
      return new Promise(() => undefined);
    }
    return controlSuccess("r", {
      mcp_response: { jsonrpc: "2.0", id: id ?? 0, result: answer(name, tools, method, params) },
    }).response;
  });
  const servers = new McpServers({
    env: () => env,
    async connect(server, events) {
      const bridge = bridges.to("client-1", server.name);
      const connection: McpConnection = new McpConnection({
        name: server.name,
        transport: sdkTransport((message, signal) => bridge.send(message, signal)),
        timeoutMs: connectTimeout(env),
        callTimeoutMs: 60_000,
        callThrough: (tool, input, how) => server.call(tool, input, how),
        onListChanged: (kind) => events.listChanged(kind),
        onClosed: (reason) => events.closed(reason),
      });
      bridge.listen((message) => connection.deliver(message));
      return connection;
    },
  });
  const mcp = { servers, load: () => servers, readConfig: async () => ({ servers: [], unused: [] }) };
  const ask = (handler: ControlHandler<any>, request: object) =>
    handler(
      { subtype: "x", ...request },
      { mcp, permissions: { rules: [] } } as unknown as ControlTargets,
      { signal: on, client: "client-1" } as ControlContext,
    );
  return {
    servers,
    ask,
    tools: inside,
    withdrawn,
    say: (name: string, message: JsonObject) => bridges.receive("client-1", name, message),
    received: (name: string) => messages.flatMap(([server, method]) => (server === name ? [method] : [])),
  };
}

function answer(name: string, tools: readonly string[], method: unknown, params: unknown): unknown {
  switch (method) {
    case "initialize":
      return { serverInfo: { name, version: "1.0.0" }, capabilities: { tools: {} }, instructions: `Ask ${name}.` };
    case "tools/list":
      return { tools: tools.map((tool) => ({ name: tool, description: tool, inputSchema: { type: "object" } })) };
    case "tools/call": {
      const { name: tool, arguments: input } = params as { name: string; arguments: unknown };
      return { content: [{ type: "text", text: `${tool} ${JSON.stringify(input)}` }], isError: tool === "fail" };
    }
    default:
      return {};
  }
}

/** Waits until the condition holds. */
async function settled(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
