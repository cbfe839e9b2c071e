// MCP servers that only one subagent has: which it gets, and what rules take away.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM } from "../../front-door.ts";
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
