import { expect, test } from "bun:test";
import type { McpServerConfig, McpServerPattern } from "@keelson/protocol";
import { isServerAllowed } from "./policy.ts";
import { mcpWorld, notUsed, used } from "../world.test-support.ts";

const stdio = (...words: string[]): McpServerConfig => ({
  type: "stdio",
  command: words[0]!,
  args: words.slice(1),
  env: {},
});
const http = (url: string): McpServerConfig => ({ type: "http", url, headers: {} });

type Row = [
  name: string,
  config: McpServerConfig,
  allowed: McpServerPattern[] | undefined,
  denied: McpServerPattern[],
  expected: boolean,
];

const ROWS: readonly Row[] = [
  ["a", stdio("x"), undefined, [], true],
  ["a", stdio("x"), [], [], false],
  ["a", stdio("x"), [{ serverName: "a" }], [], true],
  ["a", stdio("x"), [{ serverName: "b" }], [], false],
  ["a.b", stdio("x"), [{ serverName: "a_b" }], [], false],
  ["a", stdio("x"), [{ serverName: "a" }], [{ serverName: "a" }], false],
  ["a.b", stdio("x"), undefined, [{ serverName: "a b" }], false],
  ["a", stdio("npx", "-y", "p"), [{ serverCommand: ["npx", "-y", "p"] }], [], true],
  ["a", stdio("npx", "-y", "p", "q"), [{ serverCommand: ["npx", "-y", "p"] }], [], false],
  ["a", stdio("npx", "p", "-y"), [{ serverCommand: ["npx", "-y", "p"] }], [], false],
  // If the list has commands, the name alone is not enough; for URLs likewise.
  ["a", stdio("x"), [{ serverName: "a" }, { serverCommand: ["y"] }], [], false],
  ["a", http("https://a.test/"), [{ serverName: "a" }, { serverCommand: ["y"] }], [], true],
  ["a", http("https://a.test/"), [{ serverName: "a" }, { serverUrl: "https://b.test/*" }], [], false],
  ["a", stdio("x"), undefined, [{ serverCommand: ["x"] }], false],
  ["a", http("https://mcp.corp.test/x"), [{ serverUrl: "https://mcp.corp.test/*" }], [], true],
  ["a", http("https://a.corp.test/x"), [{ serverUrl: "https://*.corp.test/*" }], [], true],
  ["a", http("https://evil.test/.corp.test/"), [{ serverUrl: "https://*.corp.test/*" }], [], false],
  ["a", http("https://corp.test@evil.test/"), [{ serverUrl: "https://corp.test*" }], [], false],
  ["a", http("https://corp.test.evil.test/"), [{ serverUrl: "https://corp.test*" }], [], false],
  ["a", http("http://localhost:8080/mcp"), [{ serverUrl: "http://localhost:*/*" }], [], true],
  ["a", { type: "ws", url: "wss://a.test/", headers: {} }, [{ serverUrl: "wss://a.test:443/*" }], [], true],
  ["a", http("https://EVIL.test/x"), undefined, [{ serverUrl: "https://evil.test/*" }], false],
  ["a", http("https://evil.test:443/x"), undefined, [{ serverUrl: "https://evil.test/*" }], false],
  ["a", http("https://x.test/evil/y"), undefined, [{ serverUrl: "*evil*" }], false],
  // Servers inside the client need no entry, but can be denied.
  ["a", { type: "sdk", name: "a" }, [], [], true],
  ["a", { type: "sdk", name: "a" }, [], [{ serverName: "a" }], false],
];

test.each(ROWS)("isServerAllowed() of %s %j with %j, without %j: %p", (name, config, allowed, denied, expected) => {
  const settings = { ...(allowed && { allowedMcpServers: allowed }), deniedMcpServers: denied };
  expect(isServerAllowed({ name, config, written: {} }, settings).allowed).toBe(expected);
});

test("a denied command or URL is found as written and as expanded", () => {
  using world = mcpWorld();
  world.user({ a: { command: "${RUN}" }, b: { type: "http", url: "https://${HOST}/" } });
  const env = { RUN: "evil", HOST: "evil.test" };
  const denied = (...deniedMcpServers: unknown[]) => {
    world.settings({ deniedMcpServers });
    return world.start({}, { env }).mcp.unused.map(({ name }) => name);
  };
  expect(denied({ serverCommand: ["${RUN}"] }, { serverUrl: "https://${HOST}/" })).toEqual(["a", "b"]);
  expect(denied({ serverCommand: ["evil"] }, { serverUrl: "https://evil.test/*" })).toEqual(["a", "b"]);
});

test("the lists apply to every source, --mcp-config included", () => {
  using world = mcpWorld();
  world.user({ u: { command: "u" } });
  world.local({ l: { command: "l" } });
  world.shared({ p: { command: "p" } });
  world.settings({ allowedMcpServers: [{ serverName: "l" }] });
  const snapshot = world.start({ mcpServers: { d: { command: "d" } } });
  expect(used(snapshot)).toEqual(["local l l"]);
  expect(notUsed(snapshot)).toEqual(
    ["dynamic d", "project p", "user u"].map(
      (who) => `${who} disabled: The setting allowedMcpServers does not name it`,
    ),
  );
});

test("lists of all scopes are joined; allowManagedMcpServersOnly keeps to the managed list, if there is one", () => {
  using world = mcpWorld();
  world.user({ a: { command: "a" }, b: { command: "b" } });
  world.settings({ allowedMcpServers: [{ serverName: "a" }] });
  world.managed({ allowedMcpServers: [{ serverName: "b" }] });
  expect(used(world.start())).toEqual(["user a a", "user b b"]);
  world.managed({ allowedMcpServers: [{ serverName: "b" }], allowManagedMcpServersOnly: true });
  expect(used(world.start())).toEqual(["user b b"]);
  expect(world.start().warnings.join()).toContain("allowedMcpServers ignored: only managed settings may set it");
  world.managed({ allowManagedMcpServersOnly: true });
  expect(used(world.start())).toEqual(["user a a"]);
  // What an untrusted folder denies is denied.
  world.managed({});
  world.settings({});
  world.put("home/work/project/.claude/settings.json", { deniedMcpServers: [{ serverName: "a" }] });
  expect(used(world.start())).toEqual(["user b b"]);
});

test("entries that are not patterns are reported; a list that is none allows nothing", () => {
  using world = mcpWorld();
  world.user({ a: { command: "a" } });
  world.settings({ allowedMcpServers: "a" });
  expect(used(world.start())).toEqual([]);
  world.settings({
    allowedMcpServers: [{ serverName: "a" }, { serverName: "b", serverUrl: "c" }, "d", { serverCommand: [] }],
  });
  const { mcp, warnings } = world.start();
  expect(mcp.servers).toHaveLength(1);
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toContain(
    'allowedMcpServers[1] should be one of {"serverName": …}, {"serverCommand": […]} and {"serverUrl": …}',
  );
});
