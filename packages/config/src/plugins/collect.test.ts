import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { governingFiles } from "../governing/governing.ts";
import { changed } from "../load/sources.ts";
import { activeIds, pluginWorld, unusedPlugins } from "./world.test-support.ts";

const hook = (command: string) => ({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });

test("--plugin-dir: every part of the default layout is found", () => {
  using world = pluginWorld();
  const root = world.plugin(
    "p",
    { name: "tools", version: "1.2.0", description: "Tools" },
    {
      "skills/a/SKILL.md": "a",
      "commands/c.md": "c",
      "agents/x.md": "x",
      "output-styles/s.md": "s",
      "themes/t.json": "{}",
      "bin/run": "#!/bin/sh\n",
      ".lsp.json": { ts: { command: "tsls", extensionToLanguage: { ".ts": "typescript" } } },
      "hooks/hooks.json": hook("${CLAUDE_PLUGIN_ROOT}/check"),
      ".mcp.json": { db: { command: "${CLAUDE_PLUGIN_ROOT}/db", args: ["${CLAUDE_PLUGIN_DATA}"] } },
    },
  );
  const snapshot = world.start({ pluginDirs: [{ path: root }] });
  const data = join(world.home, ".claude/plugins/data/tools-inline");

  expect(snapshot.plugins).toEqual({
    active: [
      {
        name: "tools",
        id: "tools@inline",
        root,
        data,
        version: "1.2.0",
        description: "Tools",
        skillFolders: [join(root, "skills")],
        skills: [],
        commandFolders: [join(root, "commands")],
        commandFiles: [],
        agents: [join(root, "agents")],
        outputStyles: [join(root, "output-styles")],
        themes: [join(root, "themes")],
        bin: join(root, "bin"),
        lspServers: { ts: { command: "tsls", extensionToLanguage: { ".ts": "typescript" } } },
        from: "inline",
      },
    ],
    unused: [],
  });
  expect(snapshot.hooks.active).toEqual([
    {
      event: "PreToolUse",
      handler: { type: "command", command: "${CLAUDE_PLUGIN_ROOT}/check" },
      source: "pluginHook",
      file: join(root, "hooks/hooks.json"),
      root,
      data,
      plugin: "tools@inline",
    },
  ]);
  expect(snapshot.mcp.servers).toEqual([
    {
      name: "plugin:tools:db",
      scope: "plugin",
      file: join(root, ".mcp.json"),
      config: {
        type: "stdio",
        command: join(root, "db"),
        args: [data],
        env: { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data },
      },
      written: { command: "${CLAUDE_PLUGIN_ROOT}/db", args: ["${CLAUDE_PLUGIN_DATA}"] },
      plugin: "tools@inline",
    },
  ]);
  expect(snapshot.warnings).toEqual([]);

  expect(changed(snapshot)).toBe(false);
  world.put("p/hooks/hooks.json", hook("other"));
  expect(changed(snapshot)).toBe(true);
});

test("the manifest adds skills, replaces commands and agents, and may hold hooks and servers itself", () => {
  using world = pluginWorld();
  const root = world.plugin(
    "p",
    {
      name: "p",
      skills: ["./more", "./one"],
      commands: ["./x.md", "./cmds"],
      agents: "./helpers/a.md",
      hooks: hook("inline"),
      mcpServers: ["./servers.json", { inline: { type: "http", url: "https://x.example/" } }],
    },
    {
      "skills/s/SKILL.md": "",
      "more/t/SKILL.md": "",
      "one/SKILL.md": "",
      "commands/unused.md": "",
      "x.md": "",
      "cmds/y.md": "",
      "agents/unused.md": "",
      "helpers/a.md": "",
      "servers.json": { mcpServers: { file: { command: "run" } } },
    },
  );
  const snapshot = world.start({ pluginDirs: [{ path: "p" }] }, { cwd: world.root });
  expect(snapshot.plugins.active).toMatchObject([
    {
      skillFolders: [join(root, "skills"), join(root, "more")],
      skills: [join(root, "one")],
      commandFolders: [join(root, "cmds")],
      commandFiles: [join(root, "x.md")],
      agents: [join(root, "helpers/a.md")],
    },
  ]);
  expect(snapshot.hooks.active.map(({ handler }) => handler)).toEqual([{ type: "command", command: "inline" }]);
  expect(snapshot.mcp.servers.map(({ name }) => name)).toEqual(["plugin:p:file", "plugin:p:inline"]);
  expect(snapshot.warnings).toEqual([]);
});

test("a folder without a manifest is a plugin with the folder's name; a SKILL.md at the top is its only skill", () => {
  using world = pluginWorld();
  const path = world.plugin("my-skill", undefined, { "SKILL.md": "text" });
  const snapshot = world.start({ pluginDirs: [{ path }] });
  expect(snapshot.plugins.active).toMatchObject([{ id: "my-skill@inline", skills: [path], skillFolders: [] }]);
});

test("--plugin-dir-no-mcp leaves out the servers and keeps the rest", () => {
  using world = pluginWorld();
  const path = world.plugin(
    "p",
    { name: "p" },
    { ".mcp.json": { s: { command: "x" } }, "hooks/hooks.json": hook("h") },
  );
  const { mcp, hooks } = world.start({ pluginDirs: [{ path, withoutMcp: true }] });
  expect([mcp, hooks.active.length]).toEqual([{ servers: [], unused: [] }, 1]);
});

test("a manifest that is wrong fails only its own plugin, with file, line and fix", () => {
  using world = pluginWorld();
  const good = world.plugin("good", { name: "good" });
  const bad = world.plugin("bad", undefined, {
    ".claude-plugin/plugin.json": '{\n  "name": "bad",\n  "version": 2\n}\n',
  });
  const broken = world.plugin("broken", undefined, { ".claude-plugin/plugin.json": '{\n  "name": \n' });
  const gone = join(world.root, "gone");
  const snapshot = world.start({ pluginDirs: [bad, broken, gone, good].map((path) => ({ path })) });
  expect(activeIds(snapshot)).toEqual(["good@inline"]);
  expect(unusedPlugins(snapshot)).toEqual([
    `${bad}@inline invalid: ${bad}/.claude-plugin/plugin.json:3: "version" should be a string, not 2`,
    `${broken}@inline invalid: ${broken}/.claude-plugin/plugin.json:3: is not valid JSON: ${"Unexpected end of file"}`,
    `${gone}@inline invalid: ${gone}: does not exist; check the path`,
  ]);
  expect(snapshot.warnings).toHaveLength(3);
});

test("enabledPlugins: the user's installed plugins, each with its reason if it is not used", () => {
  using world = pluginWorld();
  world.install("on@market", {});
  world.install("off@market", {});
  world.user({ enabledPlugins: { "on@market": true, "off@market": false, "gone@market": true, "x y": true } });
  const snapshot = world.start();
  expect(snapshot.plugins.active).toMatchObject([
    { id: "on@market", name: "on", version: "1.0.0", from: "marketplace" },
  ]);
  expect(unusedPlugins(snapshot)).toEqual([
    `off@market disabled: ${world.home}/.claude/settings.json disables it`,
    "gone@market missing: It is enabled but not installed; to install it, run: keelson plugin install gone@market",
    'x y invalid: "x y" is not a plugin; write it as "name@marketplace"',
  ]);
});

test("many plugins that are not installed are one warning", () => {
  using world = pluginWorld();
  const enabled = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}@m`, true]));
  world.user({ enabledPlugins: enabled(3) });
  expect(world.start().warnings).toHaveLength(3);
  world.user({ enabledPlugins: enabled(12) });
  expect(world.start().warnings).toEqual([
    "12 plugins are enabled but not installed (p0@m, p1@m, p2@m, …); to see them, run: keelson plugin list",
  ]);
});

test("a repository enables plugins only if it is trusted, and never what the user disabled", () => {
  using world = pluginWorld();
  world.install("a@m", {}, { "hooks/hooks.json": hook("a") });
  world.install("b@m", {});
  world.user({ enabledPlugins: { "b@m": false } });
  world.project({ enabledPlugins: { "a@m": true, "b@m": true } });
  const untrusted = world.start();
  expect([activeIds(untrusted), untrusted.hooks.active]).toEqual([[], []]);
  expect(unusedPlugins(untrusted)).toEqual([
    `b@m disabled: ${world.home}/.claude/settings.json disables it`,
    `a@m untrusted: This folder asks for it and is not trusted; to trust it, run: keelson trust ${world.cwd}`,
  ]);

  world.trust();
  const trusted = world.start();
  expect(activeIds(trusted)).toEqual(["a@m"]);
  expect(unusedPlugins(trusted)).toEqual([
    `b@m disabled: ${world.home}/.claude/settings.json disables it, which a repository cannot change; ` +
      "to enable it, run: keelson plugin enable b@m",
  ]);

  world.local({ enabledPlugins: { "b@m": true, "a@m": false } });
  expect(activeIds(world.start())).toEqual(["b@m"]);
  for (const words of [
    ["init", "-q"],
    ["add", "-f", ".claude"],
  ])
    execFileSync("git", words, { cwd: world.cwd });
  expect(activeIds(world.start())).toEqual([]);
});

test("a plugin in a skills folder loads by itself; that of a project needs trust", () => {
  using world = pluginWorld();
  world.plugin("home/.claude/skills/mine", { name: "mine" });
  world.put("home/.claude/skills/README.md", "not a plugin");
  world.put("home/.claude/skills/plain/SKILL.md", "not a plugin");
  world.plugin("home/.claude/skills/quiet", { name: "quiet", defaultEnabled: false });
  world.plugin("home/project/.claude/skills/theirs", { name: "theirs" });
  const before = world.start();
  expect(activeIds(before)).toEqual(["mine@skills-dir"]);
  expect(unusedPlugins(before)).toEqual([
    "quiet@skills-dir disabled: It is off unless you enable it: keelson plugin enable quiet@skills-dir",
    `theirs@skills-dir untrusted: This folder has it and is not trusted; to trust it, run: keelson trust ${world.cwd}`,
  ]);
  world.trust();
  world.user({ enabledPlugins: { "mine@skills-dir": false, "quiet@skills-dir": true } });
  expect(activeIds(world.start())).toEqual(["quiet@skills-dir", "theirs@skills-dir"]);
  expect(activeIds(world.start({ settingSources: ["user"] }))).toEqual(["quiet@skills-dir"]);
  expect([world.start({ bare: true }), world.start({ safe: true })].map(activeIds)).toEqual([[], []]);
});

test("of two plugins with one name the nearer wins: managed, flag, user, project", () => {
  using world = pluginWorld();
  world.install("same@m", {});
  world.install("same@n", {});
  const path = world.plugin("inline", { name: "same" });
  world.user({ enabledPlugins: { "same@m": true, "same@n": true } });
  expect(activeIds(world.start())).toEqual(["same@m"]);
  const snapshot = world.start({ pluginDirs: [{ path }] });
  expect(activeIds(snapshot)).toEqual(["same@inline"]);
  expect(unusedPlugins(snapshot)[0]).toBe(
    'same@m shadowed: The plugin "same@inline" has the same name; disable one of them',
  );
  world.managed({ enabledPlugins: { "same@n": true } });
  expect(activeIds(world.start({ pluginDirs: [{ path }] }))).toEqual(["same@n"]);
});

test("a plugin whose dependency is missing, disabled or too old is not loaded, nor is one that needs it", () => {
  using world = pluginWorld();
  world.install("top@m", { dependencies: ["middle"] });
  world.install("middle@m", { dependencies: [{ name: "base", version: "^2.0.0" }] });
  world.install("base@m", { version: "1.4.0" });
  world.install("ring@m", { dependencies: ["loop@m"] });
  world.install("loop@m", { dependencies: ["ring"] });
  const on = (...ids: string[]) => world.user({ enabledPlugins: Object.fromEntries(ids.map((id) => [id, true])) });
  on("top@m", "middle@m", "base@m", "ring@m", "loop@m");
  const snapshot = world.start();
  expect(activeIds(snapshot)).toEqual(["base@m", "ring@m", "loop@m"]);
  expect(unusedPlugins(snapshot)).toEqual([
    'middle@m dependency: It needs version ^2.0.0 of the plugin "base", but 1.4.0 is loaded; update one of them',
    'top@m dependency: It needs the plugin "middle", which is not loaded; to add it, run: keelson plugin install middle',
  ]);
  world.put("home/.claude/plugins/cache/m/base/1.0.0/.claude-plugin/plugin.json", { name: "base", version: "2.1.0" });
  expect(activeIds(world.start())).toEqual(["top@m", "middle@m", "base@m", "ring@m", "loop@m"]);
});

test("an installed plugin is in the cache, has the name of its id, and is the one of this project if there is one", () => {
  using world = pluginWorld();
  world.install("a@m", { name: "other" });
  world.plugin("elsewhere", { name: "b" });
  world.install("b@m", {}, {}, { installPath: join(world.root, "elsewhere") });
  world.install("c@m", {}, {}, { scope: "project", projectPath: "/another" });
  const own = world.plugin("home/.claude/plugins/cache/m/c/2.0.0", { name: "c", version: "2.0.0" });
  world.install("c@m", {}, {}, { scope: "local", projectPath: world.cwd, installPath: own, version: "2.0.0" });
  world.user({ enabledPlugins: { "a@m": true, "b@m": true, "c@m": true } });
  expect(world.start().plugins.active.map(({ name, root }) => [name, root.split("/cache/")[1]])).toEqual([
    ["a", "m/a/1.0.0"],
    ["b", "m/b/1.0.0"],
    ["c", "m/c/2.0.0"],
  ]);
});

test("an installed plugin whose active files changed is not loaded", () => {
  using world = pluginWorld();
  world.install("a@m", {}, {}, { activeHash: "sha256:0" });
  world.user({ enabledPlugins: { "a@m": true } });
  expect(unusedPlugins(world.start())).toEqual([
    "a@m invalid: Its files changed after it was installed; install them again: keelson plugin update a@m",
  ]);
});

test("managed settings: no flags, only known marketplaces, blocked ones, no folder plugins", () => {
  using world = pluginWorld();
  const path = world.plugin("p", { name: "p" });
  world.install("a@m", {});
  world.install("b@n", {});
  world.plugin("home/.claude/skills/s", { name: "s" });
  world.put("home/.claude/plugins/known_marketplaces.json", {
    m: { source: { source: "github", repo: "acme/tools" }, installLocation: "/x" },
    n: { source: { source: "git", url: "git@github.com:acme/Other.git" }, installLocation: "/y" },
  });
  world.user({ enabledPlugins: { "a@m": true, "b@n": true } });
  world.managed({ disableSideloadFlags: true });
  expect(() => world.start({ pluginDirs: [{ path }] })).toThrow(
    "Managed settings do not allow plugins on the command line (disableSideloadFlags)",
  );
  world.managed({ strictKnownMarketplaces: [{ source: "github", repo: "acme/tools" }] });
  expect(activeIds(world.start())).toEqual(["a@m"]);
  world.managed({ blockedMarketplaces: [{ source: "github", repo: "acme/other" }] });
  expect(activeIds(world.start())).toEqual(["s@skills-dir", "a@m"]);
  world.managed({ strictPluginOnlyCustomization: true, enabledPlugins: { "a@m": false } });
  expect(activeIds(world.start())).toEqual(["b@n"]);
  expect(unusedPlugins(world.start())).toEqual([
    `a@m blocked: ${world.root}/managed/managed-settings.json disables it`,
    "s@skills-dir blocked: Managed settings allow only plugins of marketplaces (strictPluginOnlyCustomization)",
  ]);
});

test("hooks of plugins follow the switches for hooks; those of managed plugins obey only the administrator", () => {
  using world = pluginWorld();
  world.install("a@m", {}, { "hooks/hooks.json": hook("a") });
  world.install("b@m", {}, { "hooks/hooks.json": hook("b") });
  const commands = () =>
    world.start().hooks.active.map(({ handler }) => (handler.type === "command" ? handler.command : ""));
  world.user({ enabledPlugins: { "a@m": true }, ...hook("own") });
  world.managed({ enabledPlugins: { "b@m": true } });
  expect(commands()).toEqual(["own", "b", "a"]);
  world.managed({ enabledPlugins: { "b@m": true }, strictPluginOnlyCustomization: ["hooks"] });
  expect(commands()).toEqual(["b", "a"]);
  world.managed({ enabledPlugins: { "b@m": true }, allowManagedHooksOnly: true });
  expect(commands()).toEqual(["b"]);
  world.managed({ enabledPlugins: { "b@m": true } });
  world.user({ enabledPlugins: { "a@m": true }, disableAllHooks: true });
  expect(commands()).toEqual(["b"]);
  expect(world.start().hooks.off.map(({ why }) => why)).toEqual([
    `disableAllHooks is on in ${world.home}/.claude/settings.json`,
  ]);
  world.managed({ enabledPlugins: { "b@m": true }, disableAllHooks: true });
  expect(commands()).toEqual([]);
});

test("servers of plugins rank below all others, are not started twice, and obey the lists of servers", () => {
  using world = pluginWorld();
  const servers = { same: { command: "db", args: ["--x"] }, other: { command: "db" }, bad: { command: "bad" } };
  const path = world.plugin("p", { name: "p" }, { ".mcp.json": { mcpServers: servers } });
  world.put("home/.claude.json", { mcpServers: { mine: { command: "db", args: ["--x"] } } });
  world.user({ deniedMcpServers: [{ serverCommand: ["bad"] }] });
  const { mcp } = world.start({ pluginDirs: [{ path }] });
  expect(mcp.servers.map(({ name }) => name)).toEqual(["mine", "plugin:p:other"]);
  expect(mcp.unused.map(({ name, why }) => `${name}: ${why}`)).toEqual([
    'plugin:p:same: It is the same server as "mine"',
    "plugin:p:bad: The setting deniedMcpServers names it",
  ]);
  const only = world.start({ pluginDirs: [{ path }], strictMcpConfig: true, mcpServers: {} });
  expect(only.mcp.servers).toEqual([]);
});

test("options come from the user's and the administrator's settings only, and reach no shell command", () => {
  using world = pluginWorld();
  world.trust();
  const option = (more: object = {}) => ({ type: "string", title: "T", description: "D", ...more });
  const path = world.plugin(
    "p",
    {
      name: "p",
      userConfig: {
        region: option({ default: "eu" }),
        level: option({ type: "number", max: 3 }),
        token: option({ sensitive: true }),
        must: option({ required: true }),
      },
    },
    {
      ".mcp.json": {
        s: { command: "run", args: ["${user_config.region}", "${user_config.token}", "${user_config.no}"] },
      },
      "hooks/hooks.json": {
        hooks: {
          Stop: [
            {
              hooks: [
                { type: "command", command: "echo ${user_config.region}" },
                { type: "command", command: "echo", args: ["${user_config.region}"] },
              ],
            },
          ],
        },
      },
    },
  );
  const values = (options: object) => ({ pluginConfigs: { "p@inline": { options } } });
  world.project(values({ region: "evil" }));
  world.local(values({ region: "evil" }));
  world.user(values({ region: "$(touch x) ${HOME}", level: 4 }));
  const { hooks, mcp, warnings } = world.start({ pluginDirs: [{ path }] });
  expect(mcp.servers).toMatchObject([
    {
      config: { args: ["$(touch x) ${HOME}", "${user_config.token}", "${user_config.no}"] },
      secretOptions: ["token", "must"],
    },
  ]);
  expect(hooks.active).toMatchObject([
    {
      handler: { args: ["${user_config.region}"] },
      options: { region: "$(touch x) ${HOME}" },
      secretOptions: ["token", "must"],
    },
  ]);
  expect(hooks.active[0]!.options).toEqual({ region: "$(touch x) ${HOME}" });
  expect(warnings.filter((text) => text.includes("Plugin"))).toEqual([
    `Plugin "p@inline": ${path}/hooks/hooks.json:1: hooks.Stop[0] uses \${user_config…} in a shell command, where its ` +
      'value would be code; use "args", or read the variable CLAUDE_PLUGIN_OPTION_<KEY>; this hook is ignored',
    'Plugin "p@inline": the option "level" should be a number, at most 3, not 4',
    'Plugin "p@inline": the option "must" has no value; set it with: keelson plugin configure p@inline must',
  ]);
});

test("a hostile plugin: nothing outside its folder is named or read", () => {
  using world = pluginWorld();
  world.put("secret/plugin.json", { name: "stolen" });
  world.put("secret/hooks.json", hook("evil"));
  world.put("secret/SKILL.md", "x");
  const root = world.plugin(
    "p",
    {
      name: "p",
      skills: ["../secret", "./..", "./a/../../secret", "/etc", "./linked", "skills"],
      commands: ["./file-link"],
      agents: "./linked/SKILL.md",
      hooks: ["./hook-link.json", "../secret/hooks.json"],
      mcpServers: "./../secret/hooks.json",
    },
    { "a/x": "" },
  );
  symlinkSync(join(world.root, "secret"), join(root, "linked"));
  symlinkSync(join(world.root, "secret"), join(root, "bin"));
  symlinkSync(join(world.root, "secret/SKILL.md"), join(root, "file-link"));
  symlinkSync(join(world.root, "secret/hooks.json"), join(root, "hook-link.json"));
  symlinkSync(join(world.root, "secret/hooks.json"), join(root, ".mcp.json"));
  mkdirSync(join(root, "hooks"));
  symlinkSync(join(world.root, "secret/hooks.json"), join(root, "hooks/hooks.json"));
  const { plugins, hooks, mcp, warnings } = world.start({ pluginDirs: [{ path: root }] });
  expect(plugins.active).toMatchObject([
    { skillFolders: [], skills: [], commandFolders: [], commandFiles: [], agents: [], outputStyles: [] },
  ]);
  expect([plugins.active[0]!.bin, hooks.active, mcp.servers]).toEqual([undefined, [], []]);
  expect(warnings).toHaveLength(6);
  expect(warnings.at(-1)).toBe(`Plugin "p@inline": 9 more problems; see them with: keelson plugin validate ${root}`);
  expect(warnings.join("\n")).not.toContain("evil");

  const manifestLink = world.plugin("q", undefined);
  mkdirSync(join(manifestLink, ".claude-plugin"));
  symlinkSync(join(world.root, "secret/plugin.json"), join(manifestLink, ".claude-plugin/plugin.json"));
  expect(unusedPlugins(world.start({ pluginDirs: [{ path: manifestLink }] }))).toEqual([
    `${manifestLink}@inline invalid: ${manifestLink}/.claude-plugin/plugin.json: is a link that leads out of the plugin; ` +
      "copy the file instead",
  ]);
});

test("engines decides whether a plugin is loaded, and a range that makes no sense does not", () => {
  using world = pluginWorld();
  const started = (range: unknown) => {
    const path = world.plugin("p", { name: "p", engines: { "claude-code": range } });
    return world.start({ pluginDirs: [{ path }] });
  };
  for (const range of [">=2.1.0 <3", "nonsense", 5]) expect(started(range).plugins.unused).toEqual([]);
  expect(unusedPlugins(started(">=99"))).toEqual([
    expect.stringMatching(/^p@inline invalid: It needs version >=99 of Claude Code, and Keelson is compatible with /),
  ]);
});

test("settings.json of a plugin may name the agent that sessions run as; the user's settings win", () => {
  using world = pluginWorld();
  const path = world.plugin(
    "p",
    { name: "p" },
    { "settings.json": { agent: "lead", permissions: { allow: ["Bash"] } } },
  );
  const { settings, rules } = world.start({ pluginDirs: [{ path }] });
  expect([settings.agent, settings.permissions, rules.filter(({ tool }) => tool === "Bash")]).toEqual([
    "p:lead",
    undefined,
    [],
  ]);
  expect(world.start({ pluginDirs: [{ path }], settings: '{"agent": "mine"}' }).settings.agent).toBe("mine");
});

test("a skill may be named by its SKILL.md", () => {
  using world = pluginWorld();
  const path = world.plugin(
    "p",
    { name: "p", skills: ["./skills/a/SKILL.md", "./more/b/SKILL.md"] },
    { "skills/a/SKILL.md": "A", "more/b/SKILL.md": "B" },
  );
  const { plugins, warnings } = world.start({ pluginDirs: [{ path }] });
  expect(plugins.active).toMatchObject([{ skillFolders: [join(path, "skills")], skills: [join(path, "more/b")] }]);
  expect(warnings).toEqual([]);
});

test("with no plugin asked for, none of this is loaded", () => {
  using world = pluginWorld();
  const script = join(world.root, "count.ts");
  writeFileSync(
    script,
    `import { load } from ${JSON.stringify(join(import.meta.dir, "../load/load.ts"))};
load({ cwd: ${JSON.stringify(world.cwd)}, home: ${JSON.stringify(world.home)}, env: {}, flags: {}, platform: "linux" });
console.log(Object.keys(require.cache).filter((file) => file.includes("config/src/plugins/")).length);`,
  );
  expect(execFileSync(process.execPath, [script], { encoding: "utf8" }).trim()).toBe("0");
});

test("the files that decide what a plugin runs are guarded, also those that do not exist yet", () => {
  using world = pluginWorld();
  const path = world.plugin(
    "home/project/my plugin",
    { name: "p", hooks: "./own.json" },
    {
      "own.json": hook('"${CLAUDE_PLUGIN_ROOT}/scripts/check.sh" --fast'),
    },
  );
  const guarded = governingFiles(world.start({ pluginDirs: [{ path }] }));
  expect(guarded.filter((file) => file.startsWith(path)).map((file) => file.slice(path.length + 1))).toEqual([
    ".claude-plugin/plugin.json",
    "hooks/hooks.json",
    "own.json",
    ".mcp.json",
    ".lsp.json",
    "scripts/check.sh",
    ".claude-plugin",
    "skills",
    "commands",
    "agents",
    "hooks",
    "output-styles",
    "themes",
    "monitors",
    "bin",
    "settings.json",
  ]);
});
