// Clients ask about servers and change them while a session runs, and files that change between prompts are applied.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome, type Running, type TemporaryHome } from "@keelson/testkit";
import { query } from "@keelson/sdk";
import { CHAT, control, prompt } from "../front-door.ts";
import { gone } from "../processes.ts";
import { door, says } from "../sdk/door.ts";
import { fakeServer, mcpNames, withServers } from "./fake.ts";
import { startOfficial } from "./official.ts";

async function open(home: TemporaryHome, args: readonly string[]) {
  const model = await startMockModel(() => ({ text: "ok" }));
  const program = startKeelson(["-p", ...CHAT, ...args], { home, url: model.url, stdin: "open" });
  let asked = 0;
  return {
    model,
    program,
    ask: async (request: object): Promise<any> => {
      const id = `r${++asked}`;
      program.send(control(id, request));
      return (await program.waitForLine(({ response }) => response?.request_id === id)).json.response;
    },
    say: async (text: string) => {
      const after = program.lines.at(-1);
      program.send(prompt(text));
      await program.waitForLine(({ type }) => type === "result", after ? { after } : {});
      return model.requests.at(-1)!;
    },
    async [Symbol.asyncDispose]() {
      await end(program);
      await model.close();
    },
  };
}

async function end(program: Running): Promise<void> {
  program.closeStdin();
  await program.done;
  await program[Symbol.asyncDispose]();
}

const RESOURCE = { uri: "ui://panel", name: "panel", mimeType: "text/html", text: "<b>hi</b>" };

test("status, calls and resources of a server, as clients ask for them", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", {
    tools: [{ name: "echo", annotations: { readOnlyHint: true } }, "fail"],
    resources: [RESOURCE],
  });
  await using session = await open(home, withServers({ srv: { ...server.entry, alwaysLoad: true } }));
  await session.say("hello");
  expect((await session.ask({ subtype: "mcp_status" })).response).toEqual({
    mcpServers: [
      {
        name: "srv",
        status: "connected",
        serverInfo: { name: "fake", version: "1.2.3" },
        config: { ...server.entry, alwaysLoad: true },
        transport: "stdio",
        scope: "dynamic",
        source: "dynamic",
        tools: [
          { name: "echo", annotations: expect.objectContaining({}) },
          { name: "fail", annotations: {} },
        ],
      },
    ],
  });
  expect(await session.ask({ subtype: "mcp_call", tool: "mcp__srv__echo", arguments: { n: 1 } })).toMatchObject({
    subtype: "success",
    response: { content: [{ type: "text", text: 'echo {"n":1}' }] },
  });
  expect(await session.ask({ subtype: "mcp_call", tool: "mcp__srv__fail" })).toMatchObject({
    response: { content: [{ type: "text", text: "it broke" }], isError: true },
  });
  expect(await session.ask({ subtype: "mcp_call", tool: "mcp__none__fail" })).toMatchObject({
    subtype: "error",
    error: "MCP server not connected: none",
  });
  const read = { subtype: "mcp_read_resource", serverName: "srv", uri: "ui://panel" };
  expect((await session.ask(read)).response).toMatchObject({
    contents: [{ uri: "ui://panel", mimeType: "text/html", text: "<b>hi</b>" }],
  });
});

test("a server is turned off and on, and connected again", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv");
  await using session = await open(home, withServers({ srv: { ...server.entry, alwaysLoad: true } }));
  expect(mcpNames(await session.say("one"))).toEqual(["mcp__srv__echo"]);
  const status = async () => (await session.ask({ subtype: "mcp_status" })).response.mcpServers[0].status;

  expect(await session.ask({ subtype: "mcp_toggle", serverName: "srv", enabled: false })).toMatchObject({
    subtype: "success",
  });
  expect(await status()).toBe("disabled");
  for (const pid of server.pids) await gone(pid);
  expect(mcpNames(await session.say("two"))).toEqual([]);

  await session.ask({ subtype: "mcp_toggle", serverName: "srv", enabled: true });
  expect(mcpNames(await session.say("three"))).toEqual(["mcp__srv__echo"]);
  expect(await status()).toBe("connected");

  expect(await session.ask({ subtype: "mcp_reconnect", serverName: "srv" })).toMatchObject({ subtype: "success" });
  expect(server.pids.length).toBe(3);
  await gone(server.pids[1]!);
  expect(await session.ask({ subtype: "mcp_reconnect", serverName: "x" })).toMatchObject({
    error: "Server not found: x",
  });
});

test("an application adds and removes servers; those of files stay", async () => {
  using home = temporaryHome();
  const [own, filed] = [fakeServer(home, "own"), fakeServer(home, "filed")];
  home.write("~/.claude.json", { mcpServers: { filed: { ...filed.entry, alwaysLoad: true } } });
  await using model = await startMockModel(() => ({ text: "ok" }));
  const [more, enough] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = query({
    prompt: (async function* () {
      yield says("one");
      await more.promise;
      yield says("two");
      // The session ends with its prompts.
      await enough.promise;
    })(),
    options: door(home, model),
  });
  const { command, args } = own.entry;
  const messages = running[Symbol.asyncIterator]();
  for (let next = await messages.next(); next.value?.type !== "result"; next = await messages.next());
  expect(await running.setMcpServers({ own: { command, args: [...args] }, bad: { command: "/bin/false" } })).toEqual({
    added: ["own", "bad"],
    removed: [],
    errors: { bad: expect.stringContaining("Connection closed") },
  });
  more.resolve();
  for (let next = await messages.next(); next.value?.type !== "result"; next = await messages.next());
  expect(mcpNames(model.requests[1]!)).toEqual(["mcp__filed__echo", "mcp__own__echo"]);
  expect(await running.setMcpServers({})).toEqual({ added: [], removed: ["own", "bad"], errors: {} });
  const status = await running.mcpServerStatus();
  expect(status.map(({ name, scope }) => [name, scope])).toEqual([["filed", "user"]]);
  for (const pid of own.pids) await gone(pid);
  enough.resolve();
  running.close();
  for (const pid of filed.pids) await gone(pid);
});

test("a deny rule that is added while the session runs removes the tool from the next request", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { tools: ["echo", "other"] });
  const flags = [...withServers({ srv: { ...server.entry, alwaysLoad: true } }), "--allowedTools", "mcp__srv"];
  await using model = await startMockModel([
    async () => {
      // The run has begun with both tools.
      program.send(control("deny", { subtype: "update_permissions", updates: [deny("mcp__srv__echo")] }));
      await program.waitForLine(({ response }) => response?.request_id === "deny");
      return {
        calls: [
          { name: "mcp__srv__echo", input: {} },
          { name: "mcp__srv__other", input: {} },
        ],
      };
    },
    { text: "done" },
    { text: "done" },
  ]);
  await using program = startKeelson(["-p", ...CHAT, ...flags], { home, url: model.url, stdin: "open" });
  program.send(prompt("one"));
  const first = await program.waitForLine(({ type }) => type === "result");
  expect(model.requests.slice(0, 2).map(mcpNames)).toEqual([
    ["mcp__srv__echo", "mcp__srv__other"],
    ["mcp__srv__other"],
  ]);
  // Not even a call that was under way by then reaches the server.
  expect(server.notes.flatMap(({ params }) => params?.name ?? [])).toEqual(["other"]);
  program.send(control("whole", { subtype: "update_permissions", updates: [deny("mcp__srv")] }));
  program.send(prompt("two"));
  await program.waitForLine(({ type }) => type === "result", { after: first });
  expect(mcpNames(model.requests[2]!)).toEqual([]);
  await end(program);
});

const deny = (toolName: string) => ({
  type: "addRules",
  rules: [{ toolName }],
  behavior: "deny",
  destination: "session",
});

test("servers of --mcp-config stay when others are set, and go if one of the same name is set", async () => {
  using home = temporaryHome();
  const [kept, named, other] = [fakeServer(home, "kept"), fakeServer(home, "named"), fakeServer(home, "other")];
  const flags = { kept: { ...kept.entry, alwaysLoad: true }, named: { ...named.entry, alwaysLoad: true } };
  await using session = await open(home, withServers(flags));
  await session.say("one");
  const set = async (servers: object) => (await session.ask({ subtype: "mcp_set_servers", servers })).response;
  const shown = async () =>
    (await session.ask({ subtype: "mcp_status" })).response.mcpServers.map(
      ({ name, status }: { name: string; status: string }) => `${name} ${status}`,
    );

  expect(await set({ other: other.entry })).toEqual({ added: ["other"], removed: [], errors: {} });
  expect(await shown()).toEqual(["kept connected", "named connected", "other connected"]);
  expect(await set({ named: other.entry })).toEqual({ added: ["named"], removed: ["other"], errors: {} });
  expect(await shown()).toEqual(["kept connected", "named connected"]);
  expect(await set({})).toEqual({ added: [], removed: ["named"], errors: {} });
  expect(await shown()).toEqual(["kept connected"]);
  // Nothing of it was started again.
  expect([kept.pids.length, named.pids.length]).toEqual([1, 1]);
});

test("servers in initialize are as those of --mcp-config; a later initialize adds none", async () => {
  using home = temporaryHome();
  const [server, other] = [fakeServer(home, "srv"), fakeServer(home, "other")];
  const mcpServers = { srv: { ...server.entry, alwaysLoad: true }, bad: { type: "odd" } };
  await using session = await open(home, ["--await-initialize", "--strict-mcp-config"]);
  const initialize = async (servers: object) =>
    (await session.ask({ subtype: "initialize", mcpServers: servers })).response.mcp_servers_applied;
  expect(await initialize(mcpServers)).toBe(true);
  expect(mcpNames(await session.say("one"))).toEqual(["mcp__srv__echo"]);
  expect([await initialize(mcpServers), await initialize({ other: other.entry }), await initialize({})]).toEqual([
    true,
    false,
    undefined,
  ]);
  const { mcpServers: shown } = (await session.ask({ subtype: "mcp_status" })).response;
  expect(shown).toMatchObject([
    { name: "srv", status: "connected", scope: "dynamic" },
    { name: "bad", status: "failed", scope: "dynamic" },
  ]);
  // It was not started again.
  expect([server.pids.length, other.pids.length]).toEqual([1, 0]);
});

test("a client adds a server behind a proxy of its own", async () => {
  using home = temporaryHome();
  await using server = await startOfficial.http();
  await using session = await open(home, []);
  const entry = { type: "claudeai-proxy", url: server.entry.url, id: "srv_1" };
  const { response } = await session.ask({ subtype: "mcp_set_servers", servers: { calc: entry } });
  expect(response).toEqual({ added: ["calc"], removed: [], errors: {} });
  expect((await session.ask({ subtype: "mcp_status" })).response.mcpServers).toMatchObject([
    { name: "calc", status: "connected", config: entry, tools: [{ name: "add" }, { name: "later" }] },
  ]);
  const call = { subtype: "mcp_call", tool: "mcp__calc__add", arguments: { a: 1, b: 2 } };
  expect(JSON.stringify(await session.ask(call))).toContain('"text":"3"');
});

test("servers of files that change between prompts are started and ended", async () => {
  using home = temporaryHome();
  const [old, fresh] = [fakeServer(home, "old"), fakeServer(home, "fresh")];
  const loaded = (server: typeof old) => ({ ...server.entry, alwaysLoad: true });
  home.write("~/.claude.json", { mcpServers: { old: loaded(old) } });
  await using session = await open(home, []);
  expect(mcpNames(await session.say("one"))).toEqual(["mcp__old__echo"]);
  home.write("~/.claude.json", { mcpServers: { fresh: loaded(fresh) } });
  // A change of a file is noticed a moment later.
  let names = mcpNames(await session.say("two"));
  for (let round = 0; round < 100 && names[0] !== "mcp__fresh__echo"; round++) {
    await Bun.sleep(50);
    names = mcpNames(await session.say("again"));
  }
  expect(names).toEqual(["mcp__fresh__echo"]);
  for (const pid of old.pids) await gone(pid);
});
