// MCP servers that only one subagent has: which it gets, and what rules take away.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, spoken, STREAM, told } from "../../front-door.ts";
import { fakeServer, mcpNames } from "../../servers/fake.ts";

const start = { calls: [{ name: "Agent", input: { description: "x", prompt: "y", subagent_type: "dba" } }] };

/** The MCP tools in the first request of an agent with these servers. */
async function offered(home: TemporaryHome, servers: Readonly<Record<string, object>>, flags: readonly string[]) {
  const mcpServers = Object.entries(servers).map(([name, entry]) => ({ [name]: entry }));
  const agents = JSON.stringify({ dba: { description: "d", prompt: "p", mcpServers } });
  await using model = await startMockModel([start, { text: "child" }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", "--agents", agents, ...STREAM, ...flags], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  return mcpNames(model.requests[1]!);
}

test("a tool that a rule denies is not in the agent's requests", async () => {
  using home = temporaryHome();
  const own = fakeServer(home, "own", { tools: ["read", "write"] });
  const flags = ["--disallowedTools", "mcp__own__write"];
  expect(await offered(home, { own: own.entry }, flags)).toEqual(["mcp__own__read"]);
});

test("a server that rules cannot tell from one of the session is not started", async () => {
  using home = temporaryHome();
  const [session, own] = [fakeServer(home, "session"), fakeServer(home, "own")];
  home.write("~/.claude.json", { mcpServers: { my_srv: { ...session.entry, alwaysLoad: true } } });
  expect(await offered(home, { "my.srv": own.entry }, [])).toEqual(["mcp__my_srv__echo"]);
  expect(own.pids).toEqual([]);
});

test("a server that is late is named to the agent, its tools come with a later request, and a call waits for it", async () => {
  using home = temporaryHome();
  const own = fakeServer(home, "own", { isSlow: true, tools: ["echo"] });
  const mcpServers = [{ own: own.entry }];
  const agents = JSON.stringify({ dba: { description: "d", prompt: "p", mcpServers } });
  await using model = await startMockModel([
    start,
    async () => {
      setTimeout(() => own.open(), 100);
      return { calls: [{ name: "mcp__own__echo", input: { text: "late" } }] };
    },
    { text: "child" },
    { text: "done" },
  ]);
  const env = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: "0", MCP_TIMEOUT: "3600000" };
  const args = ["-p", "go", "--agents", agents, "--allowedTools", "mcp__own", ...STREAM];
  const ended = await runKeelson(args, { home, url: model.url, env });
  const [, first, second] = model.requests;
  expect(JSON.stringify(spoken(first!))).toContain("MCP servers that are still connecting: own.");
  expect([mcpNames(first!), mcpNames(second!)]).toEqual([[], ["mcp__own__echo"]]);
  expect(told(second!)).toMatchObject([{ is_error: false, content: [{ text: 'echo {"text":"late"}' }] }]);
  expect([resultOf(ended).result, ended.stderr]).toEqual(["done", ""]);
});
