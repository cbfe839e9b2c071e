import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderToAvoid, governingFiles, namedPrograms } from "./governing.ts";
import { load } from "../load/load.ts";

test("governingFiles() lists all files that govern the session, even missing ones", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-governing-")));
  for (const name of ["p", "home", "cfg"]) mkdirSync(join(root, name));
  const hooks = { Stop: [{ hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/tools/check.sh' }] }] };
  writeFileSync(join(root, "p/team.json"), JSON.stringify({ hooks, apiKeyHelper: "~/bin/key" }));
  const servers = { r: { type: "http", url: "https://a.test/", headersHelper: "~/bin/headers" } };
  writeFileSync(join(root, "cfg/.claude.json"), JSON.stringify({ mcpServers: servers }));
  const snapshot = load({
    cwd: join(root, "p"),
    home: join(root, "home"),
    env: {
      CLAUDE_CONFIG_DIR: join(root, "cfg"),
      CLAUDE_CODE_PLUGIN_CACHE_DIR: join(root, "plugins"),
      CLAUDE_ENV_FILE: "vars.sh",
      XDG_CONFIG_HOME: join(root, "xdg"),
    },
    flags: { settings: "team.json", mcpConfigFiles: ["mcp.json"] },
    platform: "linux",
    managedDir: join(root, "managed"),
  });
  const inRoot = governingFiles(snapshot).filter((path) => path.startsWith(root));
  const names = inRoot.map((path) => path.slice(root.length + 1));
  expect(names.toSorted()).toEqual([
    ".mcp.json",
    "cfg/.claude.json",
    "cfg/CLAUDE.md",
    "cfg/keybindings.json",
    "cfg/settings.json",
    "home/bin/headers",
    "home/bin/key",
    "managed/managed-mcp.json",
    "managed/managed-settings.d",
    "managed/managed-settings.json",
    "p/.claude/settings.json",
    "p/.claude/settings.local.json",
    "p/.mcp.json",
    "p/mcp.json",
    "p/team.json",
    "p/tools/check.sh",
    "p/vars.sh",
    "plugins",
    "xdg/git",
  ]);
  rmSync(root, { recursive: true });
});

test("the folder of --project-config-root governs, unless the session works in it", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-governing-")));
  const worktree = join(root, "main/.claude/worktrees/w");
  mkdirSync(worktree, { recursive: true });
  mkdirSync(join(root, "p"));
  const governs = (cwd: string) => {
    const flags = { projectConfigRoot: join(root, "main") };
    const snapshot = load({ cwd, home: root, env: {}, flags, platform: "linux" });
    return governingFiles(snapshot).includes(join(root, "main/.claude"));
  };
  expect([governs(join(root, "p")), governs(worktree)]).toEqual([true, false]);
  rmSync(root, { recursive: true });
});

test("links to skills that are kept elsewhere govern too, if the folder is trusted", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-governing-")));
  for (const name of ["p/.claude/skills/own", "p/shared/one", "p/cmds", "cfg", "dotfiles"])
    mkdirSync(join(root, name), { recursive: true });
  symlinkSync("../../shared/one", join(root, "p/.claude/skills/one"));
  symlinkSync("../..", join(root, "p/.claude/skills/all"));
  symlinkSync("nowhere", join(root, "p/.claude/skills/none"));
  symlinkSync("../cmds", join(root, "p/.claude/commands"));
  symlinkSync("../dotfiles", join(root, "cfg/skills"));
  const linked = (trusted: boolean) => {
    const projects = { [join(root, "p")]: { hasTrustDialogAccepted: trusted } };
    writeFileSync(join(root, "cfg/.claude.json"), JSON.stringify({ projects }));
    const env = { CLAUDE_CONFIG_DIR: join(root, "cfg") };
    const snapshot = load({ cwd: join(root, "p"), home: root, env, flags: {}, platform: "linux" });
    const names = governingFiles(snapshot).map((path) => path.slice(root.length + 1));
    return names.filter((name) => /skills|commands/.test(name) && !name.includes("cache"));
  };
  expect(linked(true)).toEqual(["cfg/skills", "p/.claude/skills/one", "p/.claude/commands"]);
  expect(linked(false)).toEqual(["cfg/skills"]);
  rmSync(root, { recursive: true });
});

test("texts and programs of a plugin on the command line govern too, but never the whole working directory", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-governing-")));
  for (const name of ["p/tool/skills", "p/tool/bin", "p/tool/more", "home"])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "p/SKILL.md"), "Text");
  mkdirSync(join(root, "p/tool/.claude-plugin"));
  writeFileSync(join(root, "p/tool/.claude-plugin/plugin.json"), '{"name": "tool", "agents": "./more"}');
  const guarded = (pluginDir: string) =>
    governingFiles(
      load({
        cwd: join(root, "p"),
        home: join(root, "home"),
        env: {},
        flags: { pluginDirs: [{ path: pluginDir }] },
        platform: "linux",
        managedDir: join(root, "managed"),
      }),
    ).map((path) => path.slice(root.length + 1));
  expect(guarded("./tool")).toEqual(
    expect.arrayContaining(["p/tool/skills", "p/tool/commands", "p/tool/agents", "p/tool/more", "p/tool/bin"]),
  );
  const own = guarded(".");
  expect(own).toEqual(
    expect.arrayContaining([
      "p/SKILL.md",
      "p/.claude-plugin",
      "p/skills",
      "p/commands",
      "p/agents",
      "p/hooks",
      "p/bin",
    ]),
  );
  expect(own).not.toContain("p");
  rmSync(root, { recursive: true });
});

test("namedPrograms() lists whatever runs outside the shield because something names it", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-governing-")));
  for (const name of ["p", "home", "cfg"]) mkdirSync(join(root, name));
  const hooks = {
    Stop: [
      {
        hooks: [
          { type: "command", command: "tools/check.sh | jq ." },
          { type: "command", command: "node", args: ["x.js"] },
        ],
      },
    ],
  };
  const lspServers = { l: { command: "pyright", args: ["--stdio"], extensionToLanguage: { ".py": "python" } } };
  const notifications = { command: ["ping-me", "now"] };
  const statusLine = { type: "command", command: "line" };
  const settings = { hooks, lspServers, notifications, statusLine, apiKeyHelper: "pass key" };
  writeFileSync(join(root, "cfg/settings.json"), JSON.stringify(settings));
  const servers = { s: { command: "npx", args: ["-y", "server"], env: { PATH: "/own" } } };
  writeFileSync(join(root, "cfg/.claude.json"), JSON.stringify({ mcpServers: servers }));
  const env = {
    CLAUDE_CONFIG_DIR: join(root, "cfg"),
    PATH: "/bin",
    EDITOR: "'my-vim' -p",
    BROWSER: "fox %s:lynx",
    SHELL: "/bin/zsh",
  };
  const snapshot = load({ cwd: join(root, "p"), home: join(root, "home"), env, flags: {}, platform: "linux" });
  const outside = join(root, "p");
  expect(namedPrograms(snapshot)).toEqual({
    path: "/bin",
    cwd: outside,
    home: join(root, "home"),
    directories: [outside],
    shell: ["tools/check.sh | jq .", "node x.js", "pass key", "line", "npx -y server", "pyright --stdio"],
    scripts: [join(outside, "tools/check.sh"), join(outside, "x.js")],
    replaceable: [],
    programs: ["node", "/bin/zsh", "my-vim", "fox", "ping-me"].map((command) => ({ command })),
    servers: [
      { command: "npx", path: "/own", outside },
      { command: "pyright", path: undefined, outside },
    ],
  });
  rmSync(root, { recursive: true });
});

test("folderToAvoid() is an untrusted folder, for what is not its own", () => {
  const place = { cwd: "/p", home: "/home/me", trusted: false };
  const scopes = ["user", "managed", "enterprise", "plugin", "local", "project", "dynamic", "flag", "agent"];
  expect(scopes.filter((scope) => folderToAvoid(place, scope) === "/p")).toEqual(scopes.slice(0, 4));
  expect(scopes.map((scope) => folderToAvoid({ ...place, trusted: true }, scope)).filter(Boolean)).toEqual([]);
});

test("folderToAvoid() is the outermost project around the folder, but nothing of the home's or in a trusted folder", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-avoid-")));
  const at = (path: string) => join(root, path);
  for (const folder of ["home/work/repo/packages/a", "home/work/plain"]) mkdirSync(at(folder), { recursive: true });
  for (const file of ["home/package.json", "home/work/repo/.git", "home/work/repo/packages/a/package.json"])
    writeFileSync(at(file), "");
  const avoided = (cwd: string, more: object = {}) =>
    folderToAvoid({ cwd: at(cwd), home: at("home"), trusted: false, ...more }, "user");
  expect(avoided("home/work/repo/packages/a")).toBe(at("home/work/repo"));
  expect(avoided("home/work/repo/packages")).toBe(at("home/work/repo"));
  expect(avoided("home/work/plain")).toBe(at("home/work/plain"));
  expect(avoided("home")).toBe(at("home"));
  const inside = { trustBasis: { folder: at("home/work/repo"), inherited: true, since: 0 } };
  expect(avoided("home/work/repo/packages/a", inside)).toBe(at("home/work/repo/packages/a"));
  rmSync(root, { recursive: true });
});
