// The first request waits for servers that are starting, within limits: for whom, how long, and what goes on meanwhile.
// How long exactly is in packages/runtime/src/mcp/servers/startup-wait.test.ts, by a clock; here, one event comes before another.

import { expect, test } from "bun:test";
import { query, tool, createSdkMcpServer } from "@keelson/sdk";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, spoken, STREAM } from "../front-door.ts";
import { gone } from "../processes.ts";
import { door, read } from "../sdk/door.ts";
import { openAtTerminal } from "../terminal/at-terminal.ts";
import { fakeServer, mcpNames, NO_WAIT, withServers, type FakeScript, type FakeServer } from "./fake.ts";

/** Whoever waits for these never ends within a test. */
const FOREVER = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: "3600000", MCP_TIMEOUT: "3600000" };
const bound = (ms: number) => ({ CLAUDE_CODE_MCP_STARTUP_WAIT_MS: String(ms) });
/** Longer than the bound of 2 seconds, shorter than that of 10. */
const FAILS_LATE = { MCP_TIMEOUT: "4000" };

const isInit = ({ type, subtype }: any) => type === "system" && subtype === "init";
const isResult = ({ type }: any) => type === "result";
const statuses = (init: any) => Object.fromEntries(init.mcp_servers.map(({ name, status }: any) => [name, status]));

/** The servers that the model is told of as connecting. */
const toldOf = (request: RecordedRequest) =>
  /MCP servers that are still connecting: ([^.]+)\./.exec(JSON.stringify(spoken(request)))?.[1];

/** Where an entry can be, with the flags that it needs there. */
const PLACES = {
  flag: (_: TemporaryHome, entries: object) => withServers(entries as Record<string, object>),
  user: (home: TemporaryHome, mcpServers: object) => (home.write("~/.claude.json", { mcpServers }), []),
  local: (home: TemporaryHome, mcpServers: object) => (
    home.write("~/.claude.json", { projects: { [home.project]: { mcpServers } } }),
    []
  ),
  project: (home: TemporaryHome, mcpServers: object) => (home.write(".mcp.json", { mcpServers }), []),
  plugin: (home: TemporaryHome, entries: object) => {
    home.write("~/plug/.claude-plugin/plugin.json", { name: "plug" });
    home.write("~/plug/.mcp.json", entries);
    return ["--plugin-dir", `${home.env["HOME"]}/plug`];
  },
} as const;
type Place = keyof typeof PLACES;

const status = async (program: Running, id: string): Promise<any> => {
  program.send(control(id, { subtype: "mcp_status" }));
  const { json } = await program.waitForLine(({ response }) => response?.request_id === id);
  return (json as any).response.response.mcpServers;
};

test.each([
  ...(Object.keys(PLACES) as Place[]).map((place) => [place, "its start"] as const),
  ["user", "initialize"],
  ["flag", "tools/list"],
  ["project", "tools/list"],
] as readonly (readonly [Place, string])[])(
  "a slow server (%s, slow at %s): init and the first request come when it has answered",
  async (place, slowAt) => {
    using home = temporaryHome();
    const atStart = slowAt === "its start";
    const server = fakeServer(home, "srv", { isSlow: true, ...(atStart ? {} : { slowAt }) });
    await using model = await startMockModel([{ text: "done" }]);
    const flags = PLACES[place](home, { srv: server.entry });
    await using program = startKeelson([...CHAT, ...flags], { home, url: model.url, stdin: "open", env: FOREVER });
    program.send(control("i", { subtype: "initialize" }));
    program.send(prompt("go"));
    await (atStart ? server.started() : server.got(slowAt));
    expect(await status(program, "s")).toMatchObject([{ status: "pending" }]);
    expect([model.requests.length, program.lines.some(({ json }) => isInit(json))]).toEqual([0, false]);
    server.open();
    program.closeStdin();
    const ended = await program.done;
    expect(Object.values(statuses(messagesOf(ended, "system/init")[0]))).toEqual(["connected"]);
    expect(mcpNames(model.requests[0]!)).toEqual([expect.stringMatching(/^mcp__(?:plugin_plug_)?srv__echo$/)]);
    expect(toldOf(model.requests[0]!)).toBeUndefined();
  },
);

const refusing = { type: "http", url: "http://127.0.0.1:9/mcp" };
const failing: readonly (readonly [string, Place, object, string])[] = [
  ["a command that does not exist", "flag", { command: "no-such-program-of-keelson" }, "failed"],
  ["a command that ends at once", "user", { command: "false" }, "failed"],
  ["a command that ends at once, with alwaysLoad", "user", { command: "false", alwaysLoad: true }, "failed"],
  ["an address that refuses", "user", refusing, "failed"],
  ["an address that refuses, over SSE", "flag", { ...refusing, type: "sse" }, "failed"],
];

test.each(failing)("%s costs nothing", async (_, place, entry, status) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const flags = PLACES[place](home, { srv: entry });
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env: FOREVER });
  expect(statuses(messagesOf(ended, "system/init")[0])).toEqual({ srv: status });
  expect([toldOf(model.requests[0]!), resultOf(ended).result]).toEqual([undefined, "done"]);
});

test("servers that want a sign-in, are turned off or are not approved are not waited for", async () => {
  using home = temporaryHome();
  using closed = Bun.serve({ port: 0, fetch: () => new Response("no", { status: 401 }) });
  home.write("~/.claude.json", { mcpServers: { closed: { type: "http", url: `${closed.url.href}mcp` } } });
  home.write(".mcp.json", { mcpServers: { off: fakeServer(home, "off", { isSlow: true }).entry } });
  home.settings({ disabledMcpjsonServers: ["off"] });
  await using model = await startMockModel([{ text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env: FOREVER });
  const seen = statuses(messagesOf(ended, "system/init")[0]);
  expect(seen).toEqual({ closed: "needs-auth", off: "disabled" });
  expect(toldOf(model.requests[0]!)).toBeUndefined();
});

const hanging: readonly {
  readonly of: string;
  readonly at: Place;
  readonly more?: object;
  readonly script?: Partial<FakeScript>;
  readonly env?: Readonly<Record<string, string>>;
  readonly ends: "pending" | "failed";
}[] = [
  { of: "a server of the user", at: "user", env: FAILS_LATE, ends: "pending" },
  { of: "a server of .mcp.json", at: "project", env: FAILS_LATE, ends: "pending" },
  { of: "a server of a plugin", at: "plugin", env: FAILS_LATE, ends: "pending" },
  { of: "a list that never comes", at: "user", script: { slowAt: "tools/list" }, env: FAILS_LATE, ends: "pending" },
  { of: "a server of --mcp-config", at: "flag", env: FAILS_LATE, ends: "failed" },
  {
    of: "a list of --mcp-config that never comes",
    at: "flag",
    script: { slowAt: "tools/list" },
    env: FAILS_LATE,
    ends: "failed",
  },
  { of: "a server with alwaysLoad", at: "user", more: { alwaysLoad: true }, env: FAILS_LATE, ends: "failed" },
  { of: "a server that MCP_TIMEOUT ends", at: "user", env: { MCP_TIMEOUT: "500" }, ends: "failed" },
  { of: "a bound for all", at: "flag", env: bound(300), ends: "pending" },
  { of: "a longer bound for all", at: "user", env: { ...bound(60_000), ...FAILS_LATE }, ends: "failed" },
  { of: "no wait", at: "flag", env: NO_WAIT, ends: "pending" },
  {
    of: "MCP_CONNECTION_NONBLOCKING=1",
    at: "user",
    env: { MCP_CONNECTION_NONBLOCKING: "1", ...FAILS_LATE },
    ends: "pending",
  },
  {
    of: "MCP_CONNECTION_NONBLOCKING=0",
    at: "user",
    env: { MCP_CONNECTION_NONBLOCKING: "0", ...FAILS_LATE },
    ends: "failed",
  },
];

test("who hangs is pending once the time is over, or has failed before; the model knows its name", async () => {
  // Together, because nearly all of it is waiting.
  const seen = await Promise.all(
    hanging.map(async ({ of, at, more = {}, script = {}, env = {} }) => {
      using home = temporaryHome();
      const hangs = fakeServer(home, "hangs", { isSlow: true, ...script });
      await using model = await startMockModel([{ text: "done" }]);
      const flags = PLACES[at](home, { hangs: { ...hangs.entry, ...more } });
      const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env });
      const [[name, status]] = Object.entries(statuses(messagesOf(ended, "system/init")[0])) as [[string, string]];
      expect(mcpNames(model.requests[0]!)).toEqual([]);
      expect(toldOf(model.requests[0]!)).toBe(status === "pending" ? name : undefined);
      return { of, ends: status };
    }),
  );
  expect(seen).toEqual(hanging.map(({ of, ends }) => ({ of, ends })));
});

test("of fifty servers five hang: all others are there, and no one waits longer than for one", async () => {
  using home = temporaryHome();
  using remote = mcpOverHttp((path) => !path.startsWith("/hang"));
  const names = Array.from({ length: 50 }, (_, at) => (at % 10 === 0 ? `hang${at}` : `good${at}`));
  const entries = names.map((name) => [name, { type: "http", url: `${remote.url.href}${name}` }]);
  home.write("~/.claude.json", { mcpServers: Object.fromEntries(entries) });
  await using model = await startMockModel([{ text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env: FAILS_LATE });
  const expected = Object.fromEntries(names.map((name) => [name, name.startsWith("hang") ? "pending" : "connected"]));
  expect(statuses(messagesOf(ended, "system/init")[0])).toEqual(expected);
  expect(mcpNames(model.requests[0]!).length).toBe(45);
  expect(toldOf(model.requests[0]!)).toBe("hang0, hang10, hang20, hang30, hang40");
});

test("an approved server is started even if the run is short, and a command sees how it is", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv");
  home.write(".mcp.json", { mcpServers: { srv: server.entry } });
  await using model = await startMockModel([]);
  const ended = await runKeelson(["-p", "/mcp"], { home, url: model.url, env: FOREVER });
  expect([server.pids.length, ended.stdout.includes("connected"), model.requests.length]).toEqual([1, true, 0]);
});

/** A session that waits for a server, which answers when it is opened. */
async function waiting(home: TemporaryHome, url: string, flags: readonly string[] = []) {
  const server = fakeServer(home, "srv", { isSlow: true });
  home.write("~/.claude.json", { mcpServers: { srv: server.entry } });
  const program = startKeelson([...CHAT, ...flags], { home, url, stdin: "open", env: FOREVER });
  program.send(prompt("go"));
  await server.started();
  expect(await status(program, "first")).toMatchObject([{ status: "pending" }]);
  return { program, server };
}

test("while a prompt waits, the client is answered, and what it changes applies to the first request", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const { program, server } = await waiting(home, model.url);
  await using _ = program;
  const requests = [
    { subtype: "initialize" },
    { subtype: "set_model", model: "claude-haiku-4-5" },
    { subtype: "set_permission_mode", mode: "plan" },
    { subtype: "get_context_usage" },
    { subtype: "mcp_set_servers", servers: {} },
  ];
  for (const request of requests) {
    program.send(control(request.subtype, request));
    const { json } = await program.waitForLine(({ response }) => response?.request_id === request.subtype);
    expect((json as any).response.subtype).toBe("success");
  }
  expect(model.requests.length).toBe(0);
  server.open();
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "system/init")[0]).toMatchObject({ model: "claude-haiku-4-5", permissionMode: "plan" });
  expect(model.requests[0]!.body.model).toBe("claude-haiku-4-5");
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__srv__echo"]);
});

test("an interrupt ends the wait; the next prompt waits for the rest of it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const { program, server } = await waiting(home, model.url);
  await using _ = program;
  program.send(control("stop", { subtype: "interrupt" }));
  const first = await program.waitForLine(isResult);
  expect(first.json).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_streaming" });
  program.send(prompt("again"));
  expect(await status(program, "second")).toMatchObject([{ status: "pending" }]);
  expect(model.requests.length).toBe(0);
  server.open();
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "user").map(({ message }) => message.content[0].text)).toEqual([
    "[Request interrupted by user]",
  ]);
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__srv__echo"]);
  expect(messagesOf(ended, "result").at(-1)).toMatchObject({ subtype: "success", result: "done" });
});

test("a signal ends a session that waits, and its server", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const { program, server } = await waiting(home, model.url);
  await using _ = program;
  program.kill("SIGINT");
  await program.done;
  expect(model.requests.length).toBe(0);
  for (const pid of server.pids) await gone(pid);
});

test("the end of the input does not end the wait", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const { program, server } = await waiting(home, model.url);
  await using _ = program;
  program.closeStdin();
  server.open();
  const ended = await program.done;
  expect(resultOf(ended).result).toBe("done");
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__srv__echo"]);
});

test("servers that a client sets are waited for, and one that hangs is no error", async () => {
  using home = temporaryHome();
  const slow = fakeServer(home, "slow", { isSlow: true });
  const hangs = fakeServer(home, "hangs", { isSlow: true });
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const env = bound(3_000);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open", env });
  const servers = { slow: slow.entry, hangs: hangs.entry, missing: { command: "no-such-program-of-keelson" } };
  program.send(control("set", { subtype: "mcp_set_servers", servers }));
  program.send(prompt("go"));
  await slow.started();
  expect(model.requests.length).toBe(0);
  slow.open();
  const { json: reply } = await program.waitForLine(({ response }) => response?.request_id === "set");
  expect((reply as any).response.response).toEqual({
    added: ["slow", "hangs", "missing"],
    removed: [],
    errors: { missing: expect.stringContaining("not found") },
  });
  const { json: init } = await program.waitForLine(isInit);
  expect(statuses(init)).toEqual({ slow: "connected", hangs: "pending", missing: "failed" });
  program.closeStdin();
  await program.done;
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__slow__echo"]);
});

test("the debug log says who was waited for and how long", async () => {
  using home = temporaryHome();
  const log = `${home.root}/debug.log`;
  const flags = withServers({ good: fakeServer(home, "good"), hangs: fakeServer(home, "hangs", { isSlow: true }) });
  await using model = await startMockModel([{ text: "done" }]);
  const args = ["-p", "go", "--debug", "mcp", "--debug-file", log, ...flags];
  await runKeelson(args, { home, url: model.url, env: bound(300) });
  // On a busy machine, the other one may take longer than that to start, too.
  expect(await Bun.file(log).text()).toMatch(/Waited \d+\.\d{3} s for good, hangs; still connecting: (good, )?hangs\n/);
});

test("the SDK: servers of its options, inside the application and outside, are in the first request", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "outside", { isSlow: true });
  await using model = await startMockModel([{ text: "done" }]);
  const { env, ...options } = door(home, model);
  const echo = tool("echo", "Says it again", {}, async () => ({ content: [] }));
  const running = query({
    prompt: "go",
    options: {
      ...options,
      env: { ...env, ...FOREVER },
      mcpServers: {
        outside: { ...server.entry, args: [...server.entry.args] },
        inside: createSdkMcpServer({ name: "inside", tools: [echo] }),
      },
    },
  });
  const messages = read(running);
  await server.started();
  expect(await running.mcpServerStatus()).toContainEqual(
    expect.objectContaining({ name: "outside", status: "pending" }),
  );
  expect(model.requests.length).toBe(0);
  server.open();
  const init = (await messages).find(isInit);
  expect(statuses(init)).toEqual({ outside: "connected", inside: "connected" });
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__inside__echo", "mcp__outside__echo"]);
});

test("the terminal shows its prompt and runs commands at once; what is asked of the model waits", async () => {
  using home = temporaryHome();
  let server: FakeServer | undefined;
  await using at = await openAtTerminal([{ text: "Pong" }], {
    home,
    env: FOREVER,
    prepare: () => (server = fakeServer(home, "srv", { isSlow: true })),
    state: { mcpServers: { srv: { command: process.execPath, args: fakeArgs(home) } } },
  });
  const { terminal, model } = at;
  await server!.started();
  terminal.type("!echo $((40+2))");
  terminal.press("enter");
  await terminal.until(/^\s*⎿?\s*42\s*$/m);
  terminal.type("ping");
  terminal.press("enter");
  await terminal.until("to interrupt");
  expect(model.requests.length).toBe(0);
  server!.open();
  await terminal.until("Pong");
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__srv__echo"]);
});

const fakeArgs = (home: TemporaryHome) => fakeServer(home, "srv", { isSlow: true }).entry.args;

/** A server at every path, with one tool; some paths never answer. */
function mcpOverHttp(answers: (path: string) => boolean) {
  return Bun.serve({
    port: 0,
    async fetch(request) {
      if (!answers(new URL(request.url).pathname)) return new Promise<Response>(() => {});
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = (await request.json()) as any;
      if (id === undefined) return new Response(null, { status: 202 });
      const result =
        method === "initialize"
          ? {
              protocolVersion: params.protocolVersion,
              serverInfo: { name: "s", version: "1" },
              capabilities: { tools: {} },
            }
          : { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
}
