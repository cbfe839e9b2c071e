import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { put, removed, scratch, withFakeIO } from "../command-io.test-support.ts";
import { listServers, showServer } from "./list.ts";
import { runMcp } from "./mcp.ts";
import type { HealthCheck } from "./health.ts";
import { runGroup } from "../group.ts";
import { MCP_FLAGS, MCP_OWN_FLAGS } from "./flags.ts";

let root: string;
let cwd: string;
let global: string;
let shared: string;

beforeEach(() => {
  root = scratch("mcp");
  cwd = join(root, "project");
  global = join(root, "home", ".claude.json");
  shared = join(cwd, ".mcp.json");
});
afterEach(() => removed(root));

const mcp = (...argv: string[]) => withFakeIO(root, (io) => runMcp(argv, io, async () => undefined));
const read = (file: string) => readFileSync(file, "utf8");
const json = (file: string) => JSON.parse(read(file)) as any;

test("add writes a program to the local config and prints what it did", async () => {
  expect(await mcp("add", "s1", "node", "x.js")).toEqual({
    code: 0,
    out:
      "Added stdio MCP server s1 with command: node x.js to local config\n" +
      `File modified: ${global} [project: ${cwd}]\n`,
    err: [],
  });
  expect(read(global)).toBe(
    `{
  "projects": {
    "${cwd}": {
      "mcpServers": {
        "s1": {
          "type": "stdio",
          "command": "node",
          "args": [
            "x.js"
          ],
          "env": {}
        }
      }
    }
  }
}
`,
  );
  expect(statSync(global).mode & 0o777).toBe(0o600);
});

test("add writes to the scope it is given, and keeps everything else in the file", async () => {
  const before = `{
  // Kept.
  "theme": "dark",
  "mcpServers": { "old": { "command": "old", "custom": 1 } },
  "history": ["a",   "b"]
}
`;
  put(root, "home/.claude.json", before);
  await mcp("add", "-s", "user", "new", "--", "npx", "-y", "pkg", "--port", "1");
  expect(read(global)).toBe(
    before.replace(
      '"custom": 1 } },',
      '"custom": 1 }, "new": { "type": "stdio", "command": "npx", "args": ["-y", "pkg", "--port", "1"], "env": {} } },',
    ),
  );
  expect((await mcp("add", "--scope", "project", "p", "node")).out).toBe(
    `Added stdio MCP server p with command: node to project config\nFile modified: ${shared}\n`,
  );
  expect(read(shared)).toBe(
    '{\n  "mcpServers": {\n    "p": {\n      "type": "stdio",\n      "command": "node",\n      "args": [],\n      "env": {}\n    }\n  }\n}\n',
  );
});

const ENTRIES: readonly [argv: string[], entry: object][] = [
  [
    ["x", "-e", "A=1", "-e", "B=x=y", "--", "node"],
    { type: "stdio", command: "node", args: [], env: { A: "1", B: "x=y" } },
  ],
  [
    ["-e", "A=1", "B=2", "x", "node", "a.js"],
    { type: "stdio", command: "node", args: ["a.js"], env: { A: "1", B: "2" } },
  ],
  [
    ["x", "-e", "A=1", "B=2", "--", "env", "C=3", "node"],
    { type: "stdio", command: "env", args: ["C=3", "node"], env: { A: "1", B: "2" } },
  ],
  [
    ["x", "--transport=http", "https://a.test/mcp", "--header", "A: 1", "B: 2"],
    { type: "http", url: "https://a.test/mcp", headers: { A: "1", B: "2" } },
  ],
  [["-t", "http", "x", "https://a.test/mcp"], { type: "http", url: "https://a.test/mcp" }],
  [
    ["--transport", "sse", "x", "https://a.test/sse", "-H", "Authorization: Bearer ${T}", "-H", "X-A:1"],
    { type: "sse", url: "https://a.test/sse", headers: { Authorization: "Bearer ${T}", "X-A": "1" } },
  ],
  [["-t", "streamable-http", "x", "https://a.test/mcp"], { type: "http", url: "https://a.test/mcp" }],
  [["-t", "ws", "x", "wss://a.test/"], { type: "ws", url: "wss://a.test/" }],
  [
    ["-t", "http", "x", "https://a.test/", "--client-id", "id", "--callback-port", "8123"],
    { type: "http", url: "https://a.test/", oauth: { clientId: "id", callbackPort: 8123 } },
  ],
];

test.each(ENTRIES)("add %j", async (argv, entry) => {
  expect(await mcp("add", ...argv)).toMatchObject({ code: 0, err: [] });
  expect(json(global).projects[cwd].mcpServers).toEqual({ x: entry });
});

test("a URL with a variable that is not set can be added; the warning says why it is not used yet", async () => {
  expect(await mcp("add", "-t", "http", "x", "${HOST}/mcp")).toMatchObject({
    code: 0,
    err: [
      expect.stringMatching(
        /^warning: "x" is not used here: it has a "url" that is not valid: "\$\{HOST\}\/mcp"; \$\{HOST\} is not set;/,
      ),
    ],
  });
});

test("--client-secret is not stored; the warning says how to sign in with it", async () => {
  const argv = ["-t", "http", "x", "https://a.test/", "--client-id", "id", "--client-secret"];
  expect((await mcp("add", ...argv)).err).toEqual([
    "warning: the client secret is not stored; to sign in, run: MCP_CLIENT_SECRET=… keelson mcp login x",
  ]);
  expect(json(global).projects[cwd].mcpServers.x.oauth).toEqual({ clientId: "id" });
});

const WRONG: readonly [argv: string[], error: string][] = [
  [["add"], "error: usage: keelson mcp add [options] <name> <command-or-url> [args...]"],
  [["add", "x"], "error: usage: keelson mcp add [options] <name> <command-or-url> [args...]"],
  [
    ["add", "x", "npx", "-y", "pkg"],
    "error: unknown option '-y'\nIf it belongs to the command, put -- first: keelson mcp add <name> -- <command>",
  ],
  [["add", "x", "https://a.test/"], 'error: "https://a.test/" is a URL; add --transport http (or sse)'],
  [["add", "x", "wss://a.test/"], 'error: "wss://a.test/" is a URL; add --transport ws'],
  [
    ["add", "-t", "ftp", "x", "y"],
    'error: invalid value "ftp" for --transport; use stdio, http, streamable-http, sse or ws',
  ],
  [["add", "-s", "global", "x", "y"], 'error: invalid value "global" for --scope; use local, user or project'],
  [["add", "x", "node", "-e", "A"], 'error: --env "A" should be KEY=value'],
  [["add", "-t", "http", "x", "https://a.test/", "-H", "A"], 'error: --header "A" should be "Name: value"'],
  [
    ["add", "-t", "http", "x", "https://a.test/", "-e", "A=1"],
    "error: --env is only for programs; remove it, or use --transport stdio",
  ],
  [["add", "x", "node", "-H", "A: 1"], "error: --header is only for URLs; add --transport http"],
  [["add", "-t", "http", "x", "https://a.test/", "b"], 'error: a URL takes no arguments: "b"'],
  [
    ["add", "-t", "http", "x", "ftp://a.test/"],
    'error: cannot add "x": it has a "url" that does not start with http:// or https://',
  ],
  [["add", "-t", "http", "x", "https://a.test/", "--client-secret"], "error: --client-secret requires --client-id"],
  [["add", "workspace", "node"], 'error: cannot add "workspace": it has a reserved name; use another one'],
  [["add", "__proto__", "node"], 'error: cannot add "__proto__": it has a reserved name; use another one'],
  [["add-json", "x", "{"], "error: invalid JSON: "],
  [["add-json", "x", "[]"], "error: the JSON must be an object with a command or a url"],
  [["add-json", "x", '{"mcpServers":{}}'], 'error: the JSON must be one server, without "mcpServers" around it'],
  [
    ["add-json", "x", '{"url":"https://a.test/"}'],
    'error: cannot add "x": it has a "url" but no "type"; add "type": "http"',
  ],
  [["get", "x"], 'error: no MCP server "x"; to list them, run: keelson mcp list'],
  [["remove", "x"], 'error: no MCP server "x"; to list them, run: keelson mcp list'],
  [["remove", "x", "-s", "user"], 'error: no MCP server "x" in the user config; to list them, run: keelson mcp list'],
  [["approve", "x"], 'error: no .mcp.json file defines an MCP server "x"; to list them, run: keelson mcp list'],
  [["lst"], 'error: unknown command "mcp lst"; did you mean "mcp list"?'],
];

test.each(WRONG)("%j is refused with the fix, and nothing is written", async (argv, error) => {
  const { code, out, err } = await mcp(...argv);
  expect({ code, out, err }).toEqual({ code: 1, out: "", err: [expect.stringContaining(error)] });
  expect([existsSync(global), existsSync(shared)]).toEqual([false, false]);
});

test("a name that is taken in the same scope is refused; in another scope it is not", async () => {
  await mcp("add", "a", "one");
  expect((await mcp("add", "a", "two")).err).toEqual([
    'error: MCP server "a" is already in the local config; to replace it, first run: keelson mcp remove a -s local',
  ]);
  expect(await mcp("add", "-s", "user", "a", "two")).toMatchObject({
    code: 0,
    err: ['warning: "a" is not used here: the local config also defines it and takes precedence'],
  });
});

test("approve shows all that was approved, however long it is", async () => {
  const args = ["-c", `start${" ".repeat(300)}; evil`];
  put(root, "project/.mcp.json", {
    mcpServers: {
      p: { command: "sh", args, env: { NODE_OPTIONS: "--require ./x.js", PORT: 1 } },
      h: {
        type: "http",
        url: "https://h.test/",
        headers: { A: "${B}" },
        headersHelper: "print-it",
        command: "harmless",
      },
    },
  });
  put(root, "home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });
  const after = "If its entry in .mcp.json changes, it must be approved again.\n";
  const file = `File modified: ${global} [project: ${cwd}]\n`;
  expect((await mcp("approve", "p")).out).toBe(
    `Approved MCP server p: sh -c '${args[1]}'\n  NODE_OPTIONS=--require ./x.js\n  PORT=1\n${after}${file}`,
  );
  expect((await mcp("approve", "h")).out).toBe(
    `Approved MCP server h: https://h.test/\n  A: \${B}\n  headersHelper: print-it\n${after}${file}`,
  );
});

test("list says why a server is disabled", async () => {
  put(root, "home/.claude.json", { mcpServers: { a: { command: "a" } } });
  put(root, "home/.claude/settings.json", { allowedMcpServers: [] });
  expect((await mcp("list")).out).toBe("a: a - ○ Disabled: The setting allowedMcpServers does not name it [user]\n");
});

test("what the settings do not allow is not added", async () => {
  put(root, "home/.claude/settings.json", { deniedMcpServers: [{ serverCommand: ["evil"] }] });
  expect((await mcp("add", "a", "evil")).err).toEqual(['error: cannot add "a": the setting deniedMcpServers names it']);
  const file = put(root, "managed/managed-mcp.json", { mcpServers: {} });
  expect((await mcp("add", "a", "fine")).err).toEqual([
    `error: cannot add "a": only the servers in ${file} may be used; ask your administrator`,
  ]);
});

test("add-json writes the entry as given", async () => {
  const entry = { command: "node", args: ["a b"], unknown: { kept: true } };
  expect(await mcp("add-json", "x", JSON.stringify(entry), "-s", "project")).toEqual({
    code: 0,
    out: `Added stdio MCP server x to project config\nFile modified: ${shared}\n`,
    err: [],
  });
  expect(json(shared)).toEqual({ mcpServers: { x: entry } });
});

test("a file that is broken, or a link out of the project, is not written", async () => {
  put(root, "project/.mcp.json", "{ broken");
  const { code, err } = await mcp("add", "-s", "project", "a", "node");
  expect(code).toBe(1);
  expect(err.at(-1)).toContain(`${shared} is not valid JSON`);
  expect(read(shared)).toBe("{ broken");
  removed(shared);
  const target = put(root, "home/other.json", {});
  symlinkSync(target, shared);
  expect((await mcp("add", "-s", "project", "a", "node")).err.at(-1)).toContain("leads out of");
  expect(read(target)).toBe("{}");
});

test("list shows every server with its state and scope, and what is not used with the reason", async () => {
  put(root, "home/.claude.json", { mcpServers: { u: { type: "http", url: "https://u.test/${TOKEN}" } } });
  put(root, "project/.mcp.json", {
    mcpServers: { p: { command: "node", args: ["p.js"] }, bad: { url: "https://x.test/" }, none: {} },
  });
  const { code, out, err } = await mcp("list");
  expect({ code, out }).toEqual({
    code: 0,
    out: `p: node p.js - ⏸ Pending approval; run: keelson mcp approve p [project]
u: https://u.test/\${TOKEN} (HTTP) - Configured [user]
bad: https://x.test/ - ✗ Failed: It has a "url" but no "type"; add "type": "http" ("sse" and "ws" are others) [project]
none: ✗ Failed: It needs a "command", or a "url" with a "type" [project]
`,
  });
  expect(err).toEqual([
    expect.stringContaining('MCP server "bad" has a "url" but no "type"'),
    expect.stringContaining('MCP server "none" needs a "command"'),
    expect.stringContaining('MCP server "u": ${TOKEN} is not set'),
  ]);
  const { out: text } = await mcp("list", "--json");
  expect(JSON.parse(text).servers[0]).toEqual({
    name: "p",
    scope: "project",
    file: shared,
    type: "stdio",
    command: "node",
    args: ["p.js"],
    status: "pending",
  });
  removed(shared);
  removed(global);
  expect((await mcp("list")).out).toBe("No MCP servers; to add one, run: keelson mcp add <name> <command-or-url>\n");
});

test("list and get start approved servers only, and show how that went", async () => {
  put(root, "home/.claude.json", {
    mcpServers: {
      ok: { command: "a" },
      bad: { command: "b" },
      socket: { type: "ws", url: "wss://d.test/" },
      web: { type: "http", url: "https://c.test/" },
    },
  });
  put(root, "project/.mcp.json", { mcpServers: { p: { command: "p" } } });
  const checked: string[] = [];
  const check: HealthCheck = async ({ name }) => {
    checked.push(name);
    if (name === "ok") return { status: "connected" };
    return name === "web" || name === "socket"
      ? { status: "needs-auth", error: "MCP error -32401: add a header" }
      : { status: "failed", error: "MCP error -32000: exit code 1\u001b[2J" };
  };
  const group = (...argv: string[]) =>
    withFakeIO(root, (io) => {
      const commands = { list: (call: any) => listServers(call, check), get: (call: any) => showServer(call, check) };
      return runGroup({ name: "mcp", usage: "", flags: MCP_FLAGS, own: MCP_OWN_FLAGS, commands }, argv, io);
    });
  const listed = await group("list");
  expect(listed.out).toBe(`Checking MCP server health...

bad: b - ✗ Failed: exit code 1\\u{1b}[2J [user]
ok: a - ✓ Connected [user]
p: p - ⏸ Pending approval; run: keelson mcp approve p [project]
socket: wss://d.test/ (WS) - ! Needs authentication: add a header [user]
web: https://c.test/ (HTTP) - ! Needs authentication; run: keelson mcp login web [user]
`);
  expect(listed.err).toEqual(["To see more, run: keelson mcp test bad"]);
  expect((await group("get", "p")).out).toContain("Status: ⏸ Pending approval");
  expect((await group("get", "bat")).err).toEqual(['error: no MCP server "bat"; did you mean "bad"?']);
  expect(checked.toSorted()).toEqual(["bad", "ok", "socket", "web"]);
});

test("get shows a server without its secrets", async () => {
  put(root, "home/.claude.json", {
    mcpServers: {
      s: { command: "node", args: ["a.js"], env: { PORT: "1", API_KEY: "sk-1", OTHER_KEY: "${MY_KEY}" } },
      h: { type: "http", url: "https://h.test/", headers: { Authorization: "Bearer abc", "X-Auth": "Bearer ${T}" } },
    },
  });
  put(root, "home/.claude/settings.json", { sandbox: { mcpServers: { s: true } } });
  expect((await mcp("get", "s")).out).toBe(`s:
  Scope: user (only you, in all folders)
  Status: Configured
  Type: stdio
  Command: node
  Args: a.js
  Environment:
    PORT=1
    API_KEY=(hidden)
    OTHER_KEY=\${MY_KEY}
  Sandbox: on
  File: ~/.claude.json

To remove it, run: keelson mcp remove s -s user
`);
  const { out } = await mcp("get", "h");
  expect(out).toContain("    Authorization: (hidden)\n    X-Auth: Bearer ${T}\n");
});

test("remove deletes one definition and keeps the rest; several ask for a scope", async () => {
  const before = `{
  "mcpServers": {
    "a": { "command": "a" }, // first
    "b": { "command": "b" }
  },
  "other": true
}
`;
  put(root, "project/.mcp.json", before);
  put(root, "home/.claude.json", { mcpServers: { b: { command: "mine" } } });
  expect((await mcp("remove", "b")).err).toEqual([
    'error: MCP server "b" is defined in several places; choose one:\n  keelson mcp remove b -s project\n  keelson mcp remove b -s user',
  ]);
  expect((await mcp("remove", "b", "-s", "project")).out).toBe(
    `Removed MCP server b from project config\nFile modified: ${shared}\n`,
  );
  expect(read(shared)).toBe(`{
  "mcpServers": {
    "a": { "command": "a" } // first
  },
  "other": true
}
`);
  await mcp("remove", "a");
  expect(Bun.JSONC.parse(read(shared))).toEqual({ mcpServers: {}, other: true });
});

test("approve records a project server as it is now, and reset-project-choices forgets it", async () => {
  put(root, "project/.mcp.json", { mcpServers: { p: { command: "node", args: ["p.js"] } } });
  expect(await mcp("approve", "p")).toEqual({
    code: 0,
    out:
      "Approved MCP server p: node p.js\nIf its entry in .mcp.json changes, it must be approved again.\n" +
      `File modified: ${global} [project: ${cwd}]\n`,
    err: [],
  });
  expect(json(global).projects[cwd]).toEqual({
    enabledMcpjsonServers: ["p"],
    approvedMcpServers: { p: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
  });
  expect((await mcp("list")).out).toBe("p: node p.js - Configured [project]\n");
  put(root, "project/.mcp.json", { mcpServers: { p: { command: "node", args: ["evil.js"] } } });
  expect((await mcp("list")).out).toContain("⏸ Pending: It changed after you approved it; to approve it again");
  expect(await mcp("reset-project-choices")).toMatchObject({ code: 0, err: [] });
  expect(json(global)).toEqual({ projects: { [cwd]: {} } });
  expect((await mcp("list")).out).toContain("⏸ Pending approval");
});

test("whoever adds a server to .mcp.json has approved it", async () => {
  await mcp("add", "-s", "project", "p", "node");
  expect((await mcp("list")).out).toBe("p: node - Configured [project]\n");
});

test("reset-project-choices creates no file", async () => {
  expect((await mcp("reset-project-choices")).code).toBe(0);
  expect(existsSync(global)).toBe(false);
});

test("add-from-claude-desktop copies what can be used and says what it skipped", async () => {
  expect((await mcp("add-from-claude-desktop")).err).toEqual([
    expect.stringContaining("error: found no Claude Desktop configuration; looked for"),
  ]);
  put(root, "home/.config/Claude/claude_desktop_config.json", {
    mcpServers: {
      none: null,
      files: { command: "npx", args: ["-y", "pkg"] },
      taken: { command: "x" },
      bad: {},
      off: { command: "y", disabled: true },
    },
    globalShortcut: "",
  });
  await mcp("add", "taken", "mine");
  const { code, out, err } = await mcp("add-from-claude-desktop");
  expect({ code, out }).toEqual({
    code: 0,
    out: `Added MCP server files to local config\nFile modified: ${global} [project: ${cwd}]\n`,
  });
  expect(err).toEqual([
    'warning: skipped "none": it should be an object',
    expect.stringContaining('warning: skipped "taken": '),
    'warning: skipped "bad": it needs a "command", or a "url" with a "type"',
    'warning: skipped "off": it is disabled there',
  ]);
  expect(json(global).projects[cwd].mcpServers.files).toEqual({ type: "stdio", command: "npx", args: ["-y", "pkg"] });
});
