import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { reload } from "../load/load.ts";
import { changed } from "../load/sources.ts";
import { addServer } from "./edit-servers.ts";
import { mcpWorld, notUsed, used } from "./world.test-support.ts";

const run = (command: string) => ({ command });
const http = (url: string) => ({ type: "http", url });

test("a server has its checked entry, the entry as written, its scope and its file", () => {
  using world = mcpWorld();
  const entry = {
    command: "npx",
    args: ["-y", "${PACKAGE:-pkg}"],
    env: { A: "${A}" },
    timeout: 5_000,
    alwaysLoad: true,
  };
  const file = world.shared({ files: { ...entry, disabled: true, description: "ignored" } });
  expect(world.start({}, { env: { A: "1" } }).mcp).toEqual({
    servers: [
      {
        name: "files",
        scope: "project",
        file,
        config: {
          type: "stdio",
          command: "npx",
          args: ["-y", "pkg"],
          env: { A: "1" },
          timeout: 5_000,
          alwaysLoad: true,
        },
        written: { ...entry, disabled: true, description: "ignored" },
        unapproved: true,
        untrusted: true,
      },
    ],
    unused: [],
  });
});

test("local beats project, project beats user, and --mcp-config beats all, entry by entry", () => {
  using world = mcpWorld();
  world.trust();
  world.user({ a: run("user"), b: run("user"), c: run("user"), d: run("user") });
  world.shared({ a: run("project"), b: run("project"), c: run("project") });
  world.local({ a: run("local"), b: run("local") });
  const snapshot = world.start({ mcpServers: { a: run("flag") } });
  expect(used(snapshot)).toEqual(["dynamic a flag", "local b local", "project c project", "user d user"]);
  expect(notUsed(snapshot)).toEqual([]);
});

test(".mcp.json is searched from the working directory up to the home folder; the nearest definition wins", () => {
  using world = mcpWorld();
  world.put("home/work/.mcp.json", { mcpServers: { near: run("work"), work: run("work") } });
  world.put("home/.mcp.json", { mcpServers: { near: run("home"), home: run("home") } });
  world.put(".mcp.json", { mcpServers: { outside: run("outside") } });
  world.shared({ near: run("project") });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["project home home", "project near project", "project work work"]);
  const files = snapshot.sources.map(({ path }) => path).filter((path) => path.endsWith(".mcp.json"));
  expect(files.map((path) => path.slice(world.root.length))).toEqual([
    "/home/work/project/.mcp.json",
    "/home/work/.mcp.json",
    "/home/.mcp.json",
  ]);
});

test("a new, changed or deleted .mcp.json is noticed between runs", () => {
  using world = mcpWorld();
  const before = world.start();
  expect([used(before), changed(before)]).toEqual([[], false]);
  world.put("home/work/.mcp.json", { mcpServers: { a: run("a") } });
  expect(changed(before)).toBe(true);
  expect(used(reload(before))).toEqual(["project a a"]);
});

test("--strict-mcp-config uses only --mcp-config; servers inside the client stay in the flags", () => {
  using world = mcpWorld();
  world.user({ u: run("u") });
  world.shared({ p: run("p") });
  const sdk = { type: "sdk", name: "calc" };
  const snapshot = world.start({ strictMcpConfig: true, mcpServers: { f: run("f"), calc: sdk } });
  expect(used(snapshot)).toEqual(["dynamic f f"]);
  expect(snapshot.flags.mcpServers).toEqual({ calc: sdk });
  expect(snapshot.origin.flags.mcpServers).toEqual({ f: run("f"), calc: sdk });
});

test("--bare, --safe-mode and --setting-sources leave servers out", () => {
  using world = mcpWorld();
  world.managed({ managedMcpServers: { m: http("https://m.test/") } });
  world.user({ u: run("u") });
  world.shared({ p: run("p") });
  world.local({ l: run("l") });
  const mcpServers = { f: run("f") };
  const m = "managed m https://m.test/";
  expect(used(world.start({ bare: true, mcpServers }))).toEqual(["dynamic f f", m]);
  expect(used(world.start({ safe: true, mcpServers }))).toEqual([m]);
  expect(notUsed(world.start({ safe: true, mcpServers }))).toEqual(["dynamic f disabled: --safe-mode skips it"]);
  expect(used(world.start({ settingSources: ["project"] }))).toEqual([m, "project p p"]);
  expect(used(world.start({ settingSources: ["user", "local"] }))).toEqual(["local l l", m, "user u u"]);
});

test("managed-mcp.json excludes all other servers, even if it cannot be read", () => {
  using world = mcpWorld();
  const file = world.put("managed/managed-mcp.json", { mcpServers: { e: run("e") } });
  world.user({ u: run("u") });
  world.shared({ p: run("p") });
  world.managed({ managedMcpServers: { m: http("https://m.test/") } });
  const snapshot = world.start({ mcpServers: { f: run("f") } });
  expect(used(snapshot)).toEqual(["enterprise e e"]);
  expect(notUsed(snapshot)).toEqual([
    `dynamic f disabled: Only the servers in ${file} may be used; ask your administrator`,
  ]);
  world.put("managed/managed-mcp.json", "{");
  const broken = world.start();
  expect(broken.mcp).toEqual({ servers: [], unused: [] });
  expect(broken.warnings).toEqual([
    expect.stringContaining(`${file}: no MCP servers are read: the file is not valid JSON`),
  ]);
});

test("managedMcpServers are http and sse only, and only in managed settings", () => {
  using world = mcpWorld();
  world.managed({
    managedMcpServers: { a: http("https://a.test/"), b: run("b"), c: { type: "ws", url: "wss://c.test/" } },
  });
  world.settings({ managedMcpServers: { x: http("https://x.test/") } });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["managed a https://a.test/"]);
  expect(notUsed(snapshot)).toEqual(
    ["b", "c"].map(
      (name) => `managed ${name} failed: It should have type http or sse; managedMcpServers holds no others`,
    ),
  );
  expect(snapshot.warnings.join("\n")).toContain("managedMcpServers is only valid in managed settings");
});

test("an administrator can refuse --mcp-config, and servers that are not of plugins", () => {
  using world = mcpWorld();
  world.managed({ disableSideloadFlags: true });
  expect(() => world.start({ mcpServers: { f: run("f") } })).toThrow(ConfigError);
  expect(used(world.start({ mcpServers: { calc: { type: "sdk" } } }))).toEqual([]);
  world.managed({ strictPluginOnlyCustomization: ["mcp"] });
  world.user({ u: run("u") });
  const snapshot = world.start({ mcpServers: { f: run("f") } });
  expect(used(snapshot)).toEqual([]);
  expect(notUsed(snapshot)).toEqual([
    expect.stringContaining("dynamic f disabled: Managed settings allow only MCP servers"),
  ]);
  expect(used(world.start({ strictMcpConfig: true, mcpServers: { f: run("f") } }))).toEqual([]);
});

const WRONG: readonly [entry: unknown, why: string][] = [
  [{ url: "https://a.test/" }, 'It has a "url" but no "type"; add "type": "http" ("sse" and "ws" are others)'],
  [{}, 'It needs a "command", or a "url" with a "type"'],
  [{ type: "smtp", url: "x" }, 'It has an unknown type ("smtp"); use stdio, http, sse or ws'],
  [{ type: "sdk", name: "x" }, 'It has type "sdk", which only a client can use'],
  [
    { type: "claudeai-proxy", url: "https://a.test/", id: "x" },
    'It has an unknown type ("claudeai-proxy"); use stdio, http, sse or ws',
  ],
  [{ type: "http" }, 'It needs a "url"'],
  [{ type: "http", url: "" }, 'It has an empty "url"'],
  [
    { type: "http", url: "${HOST}/mcp" },
    'It has a "url" that is not valid: "${HOST}/mcp"; ${HOST} is not set; set it, or write a default: ${HOST:-value}',
  ],
  [{ type: "http", url: "file:///etc/passwd" }, 'It has a "url" that does not start with http:// or https://'],
  [{ type: "ws", url: "https://a.test/" }, 'It has a "url" that does not start with ws:// or wss://'],
  [{ type: "stdio", command: " " }, 'It needs a "command"'],
  [{ command: 7 }, 'It needs a "command"'],
  [{ command: "a", args: "b" }, 'It has "args" that are not a list of strings'],
  [{ command: "a", env: { A: {} } }, 'It has a value in "env" that is not a string: "A"'],
  [{ command: "a", env: { "A=B": "1" } }, 'It has an env name that is not valid: "A=B"'],
  [
    { type: "http", url: "https://a.test/", headers: { "X\r\nY": "1" } },
    'It has a header that is not valid: "X\\r\\nY"',
  ],
  [{ type: "http", url: "https://a.test/", headers: { X: "1\r\nY: 2" } }, 'It has a header that is not valid: "X"'],
  [{ type: "http", url: "https://a.test/", headersHelper: 7 }, 'It has a "headersHelper" that is not a command'],
  ["npx", "It should be an object"],
  [null, "It should be an object"],
];

test.each(WRONG)("%j is left out alone", (entry, why) => {
  using world = mcpWorld();
  const file = world.shared({ bad: entry, good: run("g") });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["project good g"]);
  expect(notUsed(snapshot)).toEqual([`project bad failed: ${why}`]);
  expect(snapshot.warnings).toEqual([`${file}: MCP server "bad" ${why.replace(/^It /, "")}; it is not used`]);
});

test("shapes found in real projects work: names with spaces and dots, no type, streamable-http, numbers", () => {
  using world = mcpWorld();
  world.shared({
    "My Server 2.0": run("a"),
    "b.c": {
      type: "streamable-http",
      url: "https://b.test/mcp",
      oauth: { clientId: "id", callbackPort: 8080, other: 1 },
    },
    d: { type: "sse", url: "https://d.test/sse", headers: { "X-A": 1 } },
    e: { type: "ws", url: "wss://e.test/" },
    f: { command: "f", args: ["--port", 8080], env: { PORT: 8080, DEBUG: true } },
    g: { command: "g", args: null, env: null },
  });
  const { mcp, warnings } = world.start();
  expect(warnings).toEqual([]);
  expect(Object.fromEntries(mcp.servers.map(({ name, config }) => [name, config]))).toEqual({
    "My Server 2.0": { type: "stdio", command: "a", args: [], env: {} },
    "b.c": { type: "http", url: "https://b.test/mcp", headers: {}, oauth: { clientId: "id", callbackPort: 8080 } },
    d: { type: "sse", url: "https://d.test/sse", headers: { "X-A": "1" } },
    e: { type: "ws", url: "wss://e.test/", headers: {} },
    f: { type: "stdio", command: "f", args: ["--port", "8080"], env: { PORT: "8080", DEBUG: "true" } },
    g: { type: "stdio", command: "g", args: [], env: {} },
  });
});

test("options that cannot be used are ignored with a warning, and the server is used", () => {
  using world = mcpWorld();
  world.user({ a: { command: "a", timeout: 10 }, b: { ...http("https://b.test/"), oauth: { callbackPort: 70_000 } } });
  const { mcp, warnings } = world.start();
  expect(mcp.servers).toHaveLength(2);
  expect(warnings).toEqual([
    expect.stringContaining(
      'MCP server "a": timeout should be a number of at least 1000 (milliseconds); it is ignored',
    ),
    expect.stringContaining('MCP server "b": oauth.callbackPort is not a port number; it is ignored'),
  ]);
});

test("permission policies for tools come from the client only", () => {
  using world = mcpWorld();
  const entry = { ...http("https://a.test/"), tools: [{ name: "t", permission_policy: "always_allow" }, { name: 7 }] };
  world.user({ u: entry });
  const [client, user] = world.start({ mcpServers: { c: entry } }).mcp.servers;
  expect([client?.config.tools, user?.config.tools]).toEqual([
    [{ name: "t", permission_policy: "always_allow" }],
    undefined,
  ]);
});

test.each([
  "workspace",
  "claude-in-chrome",
  "computer-use",
  "Claude Preview",
  "claude.browser",
  "",
  "  ",
  "a\u202eb",
  "a\nb",
  "x".repeat(201),
])("the name %j is refused", (name) => {
  using world = mcpWorld();
  world.user({ [name]: run("a"), ok: run("ok") });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["user ok ok"]);
  expect(snapshot.mcp.unused).toEqual([expect.objectContaining({ name, status: "failed" })]);
  expect(snapshot.warnings.join("")).not.toMatch(/[\n\u202e]/);
});

test("names of object prototypes are names like any other, except __proto__", () => {
  using world = mcpWorld();
  world.put(
    "home/work/project/.mcp.json",
    '{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b"},"toString":{}}}',
  );
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["project constructor b"]);
  expect(snapshot.mcp.unused.map(({ name }) => name)).toEqual(["__proto__", "toString"]);
});

test("servers whose names rules cannot tell apart: one is used, the other is reported", () => {
  using world = mcpWorld();
  world.user({ "my srv": run("a"), "my.srv": run("b") });
  world.local({ my_srv: run("c") });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["local my_srv c"]);
  const why = 'disabled: Rules cannot tell it from "my_srv"; rename it';
  expect(notUsed(snapshot)).toEqual([`user my srv ${why}`, `user my.srv ${why}`]);
});

test("a server inside the client keeps its name, and so its rules", () => {
  using world = mcpWorld();
  world.user({ calc: run("a"), "my srv": run("b") });
  const snapshot = world.start({ mcpServers: { calc: { type: "sdk" }, my_srv: { type: "sdk" } } });
  expect(used(snapshot)).toEqual([]);
  expect(notUsed(snapshot)).toEqual(['user my srv disabled: Rules cannot tell it from "my_srv"; rename it']);
});

test("a large global config file, as older programs leave it, can be read and edited", async () => {
  using world = mcpWorld();
  world.put("home/.claude.json", { history: "x".repeat(6 * 1024 * 1024), mcpServers: { a: run("a") } });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["user a a"]);
  expect(await addServer("b", run("b"), "user", snapshot)).toMatchObject({ ok: true });
  expect(used(reload(snapshot))).toEqual(["user a a", "user b b"]);
});

test("servers run in the sandbox if the user or the administrator says so", () => {
  using world = mcpWorld();
  world.user({ u: run("u"), v: run("v"), r: http("https://r.test/") });
  world.shared({ p: run("p"), q: run("q") });
  const confined = () => world.start().mcp.servers.flatMap(({ name, confined: is }) => (is ? [name] : []));
  expect(confined()).toEqual([]);
  world.settings({ sandbox: { mcpServers: { u: true, q: false, r: true }, projectMcpServers: true } });
  expect(confined()).toEqual(["p", "u"]);
  // An invalid value counts as on.
  world.settings({ sandbox: { mcpServers: { v: "yes" }, projectMcpServers: "on" } });
  expect(confined()).toEqual(["p", "q", "v"]);
  world.put("home/work/project/.claude/settings.json", { sandbox: { mcpServers: { v: false } } });
  expect(confined()).toEqual(["p", "q", "v"]);
});

test("files that cannot be used are reported with their name, and the session starts", () => {
  using world = mcpWorld();
  const at = (folder: string) => join(world.root, folder, ".mcp.json");
  world.put("home/work/project/.mcp.json", '{ "mcpServers": { "a": { "command": } } }');
  world.put("home/work/.mcp.json", { a: run("a") });
  mkdirSync(at("home"));
  world.put("home/.claude.json", { mcpServers: [] });
  const snapshot = world.start();
  expect(snapshot.mcp).toEqual({ servers: [], unused: [] });
  expect(snapshot.warnings).toEqual([
    expect.stringContaining(`${at("home/work/project")}: no MCP servers are read: the file is not valid JSON: line 1:`),
    `${at("home/work")}: no MCP servers are read: put them inside "mcpServers"`,
    `${at("home")}: no MCP servers are read, because it is not a regular file`,
    `${join(world.home, ".claude.json")}: "mcpServers" should be an object with the MCP servers by name; it is ignored`,
  ]);
});

test("what other programs would do with an entry, and we do not, is reported with the fix", () => {
  using world = mcpWorld();
  const file = world.shared({
    off: { ...run("o"), disabled: true },
    vars: { command: "${NO_HOME}/run", args: ["${NO_PORT}", "${NO_HOST:-here}", "${NO_HOME}"] },
  });
  world.user({ mine: { ...run("m"), disabled: true }, on: { ...run("n"), disabled: false } });
  world.put("home/work/.mcp.json", { servers: { a: run("a") }, inputs: [] });
  const snapshot = world.start();
  expect(used(snapshot)).toEqual(["user mine m", "project off o", "user on n", "project vars ${NO_HOME}/run"]);
  expect(snapshot.warnings.toSorted()).toEqual(
    [
      `${file}: MCP server "off": "disabled" has no effect; to turn the server off, name it in the setting disabledMcpjsonServers`,
      `${file}: MCP server "vars": \${NO_PORT}, \${NO_HOME} are not set; set them, or write a default: \${NO_PORT:-value}`,
      `${join(world.home, ".claude.json")}: MCP server "mine": "disabled" has no effect; to turn the server off, remove it`,
      `${join(world.root, "home/work/.mcp.json")}: no MCP servers are read: rename "servers" to "mcpServers"`,
    ].toSorted(),
  );
});

test("a file of 10 MB is not read, and of 100,000 servers only the first 500 are", () => {
  using world = mcpWorld();
  const file = world.put("home/work/project/.mcp.json", " ".repeat(10 * 1024 * 1024));
  expect(world.start().warnings).toEqual([`${file}: no MCP servers are read, because it is larger than 4 MiB`]);

  const many = Array.from({ length: 100_000 }, (_, at) => `"s${at}":{"command":"a"}`).join();
  world.put("home/work/project/.mcp.json", `{"mcpServers":{${many}}}`);
  const { mcp, warnings } = world.start();
  expect([mcp.servers.length, mcp.unused.length]).toEqual([500, 0]);
  expect(warnings).toEqual([`${file}: only the first 500 of 100000 MCP servers are used; remove the others`]);
});

test("many problems are cut to a few warnings", () => {
  using world = mcpWorld();
  world.shared(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`s${at}`, {}])));
  const { mcp, warnings } = world.start();
  expect([mcp.unused.length, warnings.length]).toEqual([300, 21]);
  expect(warnings.at(-1)).toBe("There are more problems with MCP servers; see them with: keelson mcp list");
});
