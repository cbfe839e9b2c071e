// `keelson mcp test` against servers made with the official SDK, and servers that fail.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { startOfficial, type Kind } from "../servers/official.ts";

const PEER = join(import.meta.dir, "peers", "peer-main.ts");
const program = (...args: string[]) => ({ type: "stdio", command: process.execPath, args, env: { KEY: "env-secret" } });
const SERVERS = {
  old: program(PEER, "old"),
  new: program(PEER, "new-only"),
  broken: program("-e", "console.error('no config'); process.exit(3)"),
  closed: { type: "http", url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer header-secret" } },
};

async function mcpTest(home: TemporaryHome, ...args: string[]) {
  home.write("~/.claude.json", { mcpServers: SERVERS });
  const { code, stdout, stderr } = await runKeelson(["mcp", "test", ...args], { home });
  return { code, stdout, stderr };
}

test.each(["old", "new"])("tests the server %p step by step, and prints the log", async (name) => {
  using home = temporaryHome();
  const { code, stdout, stderr } = await mcpTest(home, name, "--tool", "add", "--args", '{"a":2,"b":3}', "--log");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`✓ Connected to ${name}-peer [12]\\.0\\.0 \\(protocol 20\\d\\d-`));
  expect(stdout).toMatch(/✓ \d+ tools\n +add/);
  expect(stdout).toContain("✓ Called: add\n    5\n");
  expect(stdout).toMatch(/Timings:\n {2}connect.* ms\n(?: {2}.* ms.*\n)* {2}tools\/call +[\d.]+ ms\n/);
  expect(stdout).toMatch(/Log:\n.* ms {2}→ +\d+ B {2}\{"method":"initialize"/);
});

test.each<Kind>(["http", "sse", "ws"])("tests a server over %s, without its secrets in the log", async (kind) => {
  using home = temporaryHome();
  await using server = await startOfficial[kind]({ requires: { authorization: "Bearer header-secret" } });
  const entry = { ...server.entry, headers: { Authorization: "Bearer header-secret" } };
  home.write("~/.claude.json", { mcpServers: { calc: entry } });
  const flags = ["--tool", "add", "--args", '{"a":2,"b":3}', "--json", "--log"];
  const { code, stdout } = await runKeelson(["mcp", "test", "calc", ...flags], { home });
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    report: {
      name: "calc",
      type: kind,
      connected: true,
      server: { name: "calculator", version: "1" },
      lists: [{ kind: "tools", items: [{ name: "add" }, { name: "later" }] }],
      call: { tool: "add", isError: false, text: "5" },
    },
  });
  expect(stdout).not.toContain("header-secret");
});

test("prints JSON for programs", async () => {
  using home = temporaryHome();
  const { code, stdout } = await mcpTest(home, "old", "--tool", "add", "--args", '{"a":2,"b":3}', "--json", "--log");
  const report = JSON.parse(stdout);
  expect({ code, report }).toMatchObject({
    code: 0,
    report: {
      name: "old",
      type: "stdio",
      connected: true,
      server: { name: "old-peer", version: "1.0.0" },
      instructions: "Old and reliable.",
      call: { tool: "add", isError: false, text: "5", content: [{ type: "text", text: "5" }] },
      timings: { connectMs: expect.any(Number) },
      log: { dropped: 0 },
    },
  });
  const lists = report.lists.map(({ kind, items }: any) => [kind, items.some(({ name }: any) => NAMES.includes(name))]);
  expect(lists).toEqual([
    ["tools", true],
    ["resources", true],
    ["resource templates", false],
    ["prompts", true],
  ]);
  expect(report.timings.requests.map(({ method }: any) => method)).toEqual([
    "initialize",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "tools/call",
  ]);
});

const NAMES = ["add", "note://1", "greet"];

test.each([
  [["old", "--tool", "ad"], 'The server has no tool "ad"; did you mean "add"?'],
  [["old", "--tool", "add", "--args", '{"a":"x"}'], "✗ The call failed: add"],
  [["broken"], "✗ Failed: Connection closed. The program exited with code 3\n\nStandard error:\n    no config\n"],
  [["closed"], '✗ Failed: Cannot reach "127.0.0.1:1"'],
])("%p exits with 1 and says why, without a secret", async (args, text) => {
  using home = temporaryHome();
  const { code, stdout, stderr } = await mcpTest(home, ...args, "--log");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toContain(text);
  expect(stdout).not.toMatch(/header-secret|env-secret/);
});

test.each([
  [[], "error: usage: keelson mcp test <name>"],
  [["nope"], 'error: no MCP server "nope"'],
  [["old", "--args", "{}"], "error: --args requires --tool"],
  [["old", "--tool", "add", "--args", "[1]"], "error: --args must be a JSON object"],
  [["old", "--tool", "add", "--args", "{"], "error: --args is not valid JSON"],
])("%p is refused", async (args, text) => {
  using home = temporaryHome();
  expect(await mcpTest(home, ...args)).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(text) });
});

test("a server that comes with the folder is started only after it was approved", async () => {
  using home = temporaryHome();
  home.write(".mcp.json", { mcpServers: { theirs: program("-e", "require('fs').writeFileSync('started', '')") } });
  const { code, stderr } = await mcpTest(home, "theirs");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("run: keelson mcp approve theirs") });
  expect(() => home.read("started")).toThrow();
});

test("in a session, --debug mcp says why a server failed and what it wrote to standard error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [{ name: "mcp__broken__any", input: {} }] }, { text: "done" }]);
  home.write("~/.claude.json", { mcpServers: { broken: SERVERS.broken } });
  const { code, stderr } = await runKeelson(["-p", "--debug", "mcp", "--", "go"], { home, url: model.url });
  expect(code).toBe(0);
  expect(stderr).toContain("[mcp] broken: The program exited with code 3. Standard error: no config");
  expect(stderr).toContain("[mcp] broken: failed: MCP error -32000: Connection closed. The program exited with code 3");
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("no config");
});
