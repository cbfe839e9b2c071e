// Which language servers a session may start: of settings and plugins, by trust and precedence.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LoadSettingsOptions } from "../load/gather.ts";
import { load } from "../load/load.ts";
import type { Flags } from "../load/snapshot.ts";

let root: string;
let home: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-lsp-config-")));
  home = join(root, "home");
  cwd = join(root, "project");
  mkdirSync(home);
  mkdirSync(cwd);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const user = (settings: unknown) => put("home/.claude/settings.json", settings);
const project = (settings: unknown) => put("project/.claude/settings.json", settings);
const local = (settings: unknown) => put("project/.claude/settings.local.json", settings);
const managed = (settings: unknown) => put("managed/managed-settings.json", settings);
const trust = () => put("home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });
const entry = (command: string, more: object = {}) => ({
  command,
  extensionToLanguage: { ".ts": "typescript" },
  ...more,
});

function start(flags: Flags = {}, more: Partial<LoadSettingsOptions> = {}) {
  const options = {
    cwd,
    home,
    env: { TOOLS: "/opt" },
    flags,
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
  };
  return load({ ...options, ...more });
}
const names = ({ lsp }: ReturnType<typeof start>) => lsp.servers.map(({ name, command }) => `${name}: ${command}`);

test("an entry has a program and languages; everything else has a default", () => {
  const file = user({
    lspServers: { ts: { ...entry("${TOOLS}/tsls", { args: ["--stdio"], env: { A: "${TOOLS}" } }) } },
  });
  expect(start().lsp).toEqual({
    servers: [
      {
        name: "ts",
        scope: "user",
        file,
        command: "/opt/tsls",
        args: ["--stdio"],
        env: { A: "/opt" },
        languages: { ".ts": "typescript" },
        startupTimeoutMs: 30_000,
        shutdownTimeoutMs: 2_000,
        requestTimeoutMs: 60_000,
        maxRestarts: 3,
        memoryLimitMb: 4_096,
        diagnostics: true,
      },
    ],
    unused: [],
  });
});

test("every field of an entry is read", () => {
  user({
    lspServers: {
      ts: {
        command: ["tsls", "--stdio"],
        transport: "stdio",
        extensionToLanguage: { TSX: "typescriptreact" },
        initializationOptions: { root: "${TOOLS}", list: ["${TOOLS}"], on: true },
        settings: { a: { b: "${TOOLS}" } },
        workspaceFolder: "sub",
        startupTimeout: 1_000,
        shutdownTimeout: 10,
        requestTimeout: 5_000,
        restartOnCrash: false,
        maxRestarts: 9,
        memoryLimitMb: 500,
        diagnostics: false,
        unknown: 1,
      },
    },
    sandbox: { lspServers: { "*": true } },
  });
  expect(start().lsp.servers).toMatchObject([
    {
      command: "tsls",
      args: ["--stdio"],
      languages: { ".tsx": "typescriptreact" },
      initializationOptions: { root: "/opt", list: ["/opt"], on: true },
      settings: { a: { b: "/opt" } },
      workspaceFolder: join(cwd, "sub"),
      startupTimeoutMs: 1_000,
      shutdownTimeoutMs: 10,
      requestTimeoutMs: 5_000,
      maxRestarts: 0,
      memoryLimitMb: 500,
      diagnostics: false,
      confined: true,
    },
  ]);
  expect(start().warnings).toEqual([]);
});

test.each([
  [{}, 'needs a "command"'],
  [7, "should be an object"],
  [{ command: "x" }, 'needs "extensionToLanguage", such as { ".ts": "typescript" }'],
  [entry("x", { extensionToLanguage: { ".ts": 1 } }), 'needs "extensionToLanguage", such as { ".ts": "typescript" }'],
  [entry("x", { args: [1] }), 'has "args" that are not a list of strings'],
  [entry("x", { transport: "socket" }), 'has a "transport" other than "stdio", which is the only one supported'],
  [entry("${BIG}${BIG}${BIG}"), "is too long after its variables were expanded"],
])("the entry %j is not used, and the warning says why", (raw, why) => {
  const file = user({ lspServers: { bad: raw, good: entry("x") } });
  const snapshot = start({}, { env: { BIG: "x".repeat(600_000) } });
  expect(names(snapshot)).toEqual(["good: x"]);
  expect(snapshot.lsp.unused).toEqual([{ name: "bad", scope: "user", file, why: `It ${why}` }]);
  expect(snapshot.warnings).toEqual([`${file}: language server "bad" ${why}; it is not used`]);
});

test("a number out of range is ignored with a warning", () => {
  const file = user({ lspServers: { ts: entry("x", { memoryLimitMb: 1, maxRestarts: -1 }) }, lspMemoryLimitMb: 800 });
  expect(start().lsp.servers).toMatchObject([{ memoryLimitMb: 800, maxRestarts: 3 }]);
  expect(start().warnings).toEqual([
    `${file}: language server "ts": maxRestarts should be a number from 0 to 100; it is ignored`,
    `${file}: language server "ts": memoryLimitMb should be a number from 16 to 9007199254740991; it is ignored`,
  ]);
});

test("the servers of a folder's settings are used only if the folder is trusted", () => {
  project({ lspServers: { a: entry("evil") }, lspMemoryLimitMb: 99_999 });
  local({ lspServers: { b: entry("evil") } });
  user({ lspServers: { a: entry("mine") } });
  expect(names(start())).toEqual(["a: mine"]);
  expect(start().lsp.servers[0]!.memoryLimitMb).toBe(4_096);
  expect(start().warnings[0]).toContain("lspServers, lspMemoryLimitMb ignored: this folder is not trusted");
  trust();
  expect(names(start())).toEqual(["b: evil", "a: evil"]);
});

test("managed settings come first, then flags, local, project, user and plugins; a whole entry replaces another", () => {
  trust();
  managed({ lspServers: { a: entry("managed") } });
  local({ lspServers: { a: entry("local"), b: entry("local") } });
  project({ lspServers: { b: entry("project"), c: entry("project") } });
  user({ lspServers: { c: entry("user", { args: ["x"] }), d: entry("user") } });
  put("plugin/.lsp.json", { d: entry("plugin") });
  const flags = {
    settings: JSON.stringify({ lspServers: { e: entry("flag") } }),
    pluginDirs: [{ path: join(root, "plugin") }],
  };
  expect(names(start(flags))).toEqual([
    "a: managed",
    "e: flag",
    "b: local",
    "c: project",
    "d: user",
    "plugin:plugin:d: plugin",
  ]);
  expect(names(start({ ...flags, bare: true }))).toEqual(["a: managed", "e: flag", "plugin:plugin:d: plugin"]);
  const safe = start({ ...flags, safe: true });
  expect([names(safe), safe.lsp.unused.map(({ name, why }) => `${name}: ${why}`)]).toEqual([
    ["a: managed"],
    ["e: --safe-mode skips it"],
  ]);
  expect(names(start({ ...flags, restricted: true }))).toEqual([]);
  managed({ strictPluginOnlyCustomization: true });
  expect(names(start(flags))).toEqual(["plugin:plugin:d: plugin"]);
});

test("a plugin's servers come from .lsp.json and the manifest, and know the plugin's folder and options", () => {
  const folder = join(root, "plugin");
  put("plugin/.claude-plugin/plugin.json", {
    name: "p",
    lspServers: [
      "./more.json",
      { c: entry("${CLAUDE_PLUGIN_ROOT}/c", { args: ["${user_config.level}", "${user_config.key}"] }) },
    ],
    userConfig: {
      level: { type: "string", title: "Level", description: "How much", default: "high" },
      key: { type: "string", title: "Key", description: "A key", sensitive: true },
    },
  });
  put("plugin/.lsp.json", { a: entry("a") });
  put("plugin/more.json", { lspServers: { b: entry("b") } });
  const { servers } = start({ pluginDirs: [{ path: folder }] }).lsp;
  expect(servers.map(({ name }) => name)).toEqual(["plugin:p:a", "plugin:p:b", "plugin:p:c"]);
  expect(servers[2]).toMatchObject({
    scope: "plugin",
    command: join(folder, "c"),
    // Filled in when the server is started.
    args: ["high", "${user_config.key}"],
    env: { CLAUDE_PLUGIN_ROOT: folder },
    plugin: "p@inline",
    secretOptions: ["key"],
  });
});
