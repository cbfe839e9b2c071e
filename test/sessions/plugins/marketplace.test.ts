// Plugins from marketplaces through the real program, without network: add, install, run, update, uninstall.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";

async function plugin(home: TemporaryHome, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runKeelson(["plugin", ...words], { home });
  return { code, stdout, stderr };
}

/** One prompt; whether the hook of the plugin ran. */
async function hookRuns(home: TemporaryHome): Promise<boolean> {
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const ran = existsSync(join(home.project, "ran"));
  rmSync(join(home.project, "ran"), { force: true });
  return ran;
}

const hook = (command: string) => ({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
const TOUCH = 'touch "$CLAUDE_PROJECT_DIR/ran"';

/** A marketplace in `~/market` with one plugin. Returns its folder. */
function market(home: TemporaryHome, more: readonly object[] = []): string {
  const plugins = [{ name: "noter", source: "./plugins/noter", description: "Takes notes" }, ...more];
  const catalog = home.write("~/market/.claude-plugin/marketplace.json", {
    name: "local",
    owner: { name: "Me" },
    plugins,
  });
  home.write("~/market/plugins/noter/.claude-plugin/plugin.json", { name: "noter", version: "1.0.0" });
  home.write("~/market/plugins/noter/hooks/hooks.json", hook(TOUCH));
  return join(catalog, "../..");
}

test("a marketplace in a folder: add, install, run, disable, update after a question, uninstall", async () => {
  using home = temporaryHome();
  const folder = market(home);
  expect((await plugin(home, "list", "--available")).stdout).toBe(
    "No plugins and no marketplaces; to add one, run: keelson plugin marketplace add <source>\n",
  );
  expect(await plugin(home, "marketplace", "add", folder)).toEqual({
    code: 0,
    stdout: `Added marketplace local (${folder}) with 1 plugin\n`,
    stderr: "",
  });
  expect((await plugin(home, "list", "--available")).stdout).toContain("noter@local Takes notes");
  expect(await plugin(home, "install", "noter")).toEqual({
    code: 0,
    stdout: `Installed noter@local 1.0.0 (user)\nIt may run:\n  hook SessionStart: ${TOUCH}\n`,
    stderr: "",
  });
  expect(JSON.parse(home.read("~/.claude/settings.json"))).toEqual({ enabledPlugins: { "noter@local": true } });
  const installed = JSON.parse(home.read("~/.claude/plugins/installed_plugins.json"));
  const installPath = join(home.configDir, "plugins/cache/local/noter/1.0.0");
  expect(installed).toEqual({
    version: 2,
    plugins: {
      "noter@local": [
        {
          scope: "user",
          installPath,
          version: "1.0.0",
          installedAt: expect.any(String),
          lastUpdated: expect.any(String),
          contentHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          activeHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
      ],
    },
  });
  expect(await hookRuns(home)).toBe(true);
  expect((await plugin(home, "details", "noter")).stdout).toContain("Files: 2, as they were installed");

  // The folder is copied: what changes in it has no effect before an update.
  home.write("~/market/plugins/noter/hooks/hooks.json", hook("false"));
  expect(await hookRuns(home)).toBe(true);
  const changes = `noter@local 1.0.0 -> 1.1.0\nChanges in what it may run:\n  - hook SessionStart: ${TOUCH}\n  + hook SessionStart: false\n`;
  home.write("~/market/plugins/noter/.claude-plugin/plugin.json", { name: "noter", version: "1.1.0" });
  expect(await plugin(home, "update", "noter")).toEqual({
    code: 1,
    stdout: changes,
    stderr:
      "error: not updated, because the changes need approval; to accept them, run: keelson plugin update noter@local --yes\n",
  });
  expect(await hookRuns(home)).toBe(true);
  expect(await plugin(home, "update", "noter", "--yes")).toEqual({
    code: 0,
    stdout: `${changes}Updated noter@local to 1.1.0\n`,
    stderr: "",
  });
  expect(await hookRuns(home)).toBe(false);
  expect((await plugin(home, "update")).stdout).toBe("noter@local is up to date (1.1.0)\n");
  expect((await plugin(home, "prune")).stdout).toBe(`Removed ${installPath}\n`);

  // A change in the text only needs no question.
  home.write("~/market/plugins/noter/skills/a/SKILL.md", "---\ndescription: A\n---\nText\n");
  expect(await plugin(home, "update", "noter")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Updated noter@local"),
  });
  home.write(
    "~/market/plugins/noter/skills/a/SKILL.md",
    "---\ndescription: A\nallowed-tools: Bash(rm *)\n---\n!`id`\n",
  );
  expect((await plugin(home, "update", "noter")).stdout).toContain(
    "Changes in what it may run:\n  + shell in skills/a/SKILL.md: id\n  + tools without approval in skills/a/SKILL.md: Bash(rm *)\n",
  );

  expect((await plugin(home, "disable", "noter")).stdout).toBe("Disabled noter@local (user)\n");
  expect((await plugin(home, "list")).stdout).toContain("not used: ");
  expect((await plugin(home, "enable", "noter")).stdout).toBe("Enabled noter@local (user)\n");
  expect(await plugin(home, "uninstall", "noter")).toEqual({
    code: 0,
    stdout: "Uninstalled noter@local (user)\n",
    stderr: "",
  });
  expect(JSON.parse(home.read("~/.claude/settings.json"))).toEqual({ enabledPlugins: {} });
  expect(readdirSync(join(home.configDir, "plugins/cache/local"))).toEqual([]);
  expect((await plugin(home, "marketplace", "remove", "local")).stdout).toBe("Removed marketplace local\n");
  expect(existsSync(join(folder, "plugins/noter"))).toBe(true);
});

test("at a terminal, an update is accepted with its own word: neither y nor what was typed before agrees", async () => {
  using home = temporaryHome();
  await plugin(home, "marketplace", "add", market(home));
  await plugin(home, "install", "noter");
  home.write("~/market/plugins/noter/hooks/hooks.json", hook("false"));
  home.write("~/market/plugins/noter/.claude-plugin/plugin.json", { name: "noter", version: "1.1.0" });
  const start = () => startTerminal({ home, args: ["plugin", "update", "noter"] });
  for (const text of ["y\r", "yes\r", "maybe use a branch\r", "1\r", "\r"]) {
    await using terminal = start();
    terminal.type("update\r"); // before the question
    await terminal.until('type "update": ');
    terminal.type(text);
    await terminal.exited;
    expect(terminal.bytes).toContain("Nothing was changed.");
  }
  await using terminal = start();
  await terminal.until('type "update": ');
  terminal.type("update\r");
  await terminal.until("Updated noter@local to 1.1.0");
});

test("an update removes versions that no installation has used for two weeks", async () => {
  using home = temporaryHome();
  await plugin(home, "marketplace", "add", market(home));
  await plugin(home, "install", "noter@local");
  const versions = join(home.configDir, "plugins/cache/local/noter");
  const weeksAgo = new Date(Date.now() - 15 * 24 * 60 * 60 * 1_000);
  for (const version of ["0.8.0", "0.9.0"]) home.write(`~/.claude/plugins/cache/local/noter/${version}/x.md`, "");
  for (const version of ["0.8.0", "1.0.0"]) utimesSync(join(versions, version), weeksAgo, weeksAgo);
  home.write("~/market/plugins/noter/.claude-plugin/plugin.json", { name: "noter", version: "1.1.0" });
  expect((await plugin(home, "update", "noter")).stdout).toContain("Updated noter@local to 1.1.0");
  // 1.0.0 was used until now.
  expect(readdirSync(versions).toSorted()).toEqual(["0.9.0", "1.0.0", "1.1.0"]);
  home.write("~/market/plugins/noter/.claude-plugin/plugin.json", { name: "noter", version: "1.2.0" });
  await plugin(home, "update", "noter");
  expect(readdirSync(versions).toSorted()).toEqual(["0.9.0", "1.0.0", "1.1.0", "1.2.0"]);
});

test("no change of what a plugin may run goes by unseen", async () => {
  using home = temporaryHome();
  const folder = market(home);
  const put = (path: string, content: object | string) => home.write(`~/market/plugins/noter/${path}`, content);
  const long = "x".repeat(300);
  const skill = (head: string, body = "Text") => `---\ndescription: A\n${head}\n---\n${body}\n`;
  const option = (value: string) => ({ k: { type: "string", title: "K", description: "K", default: value } });
  put("hooks/hooks.json", hook(`echo ${long} one`));
  put(".mcp.json", { s: { command: "serve" } });
  put("skills/a/SKILL.md", skill("name: a"));
  put("package.json", { name: "noter", version: "1.0.0", scripts: { start: "one" } });
  await plugin(home, "marketplace", "add", folder);
  await plugin(home, "install", "noter@local");

  // A new version number alone is no change.
  put("package.json", { name: "noter", version: "1.1.0", scripts: { start: "one" } });
  expect(await plugin(home, "update", "noter")).toMatchObject({ code: 0, stderr: "" });

  const changes: readonly (readonly [path: string, content: object | string, shown: string])[] = [
    ["hooks/hooks.json", hook(`echo ${long} two`), `${long} two\n`],
    [".mcp.json", { s: { command: "serve", env: { LD_PRELOAD: "./evil.so" } } }, '{"env":{"LD_PRELOAD":"./evil.so"}}'],
    [".mcp.json", { s: { command: "serve", args: ["--port", 22] } }, "+ MCP server s: serve --port 22\n"],
    [".mcp.json", { s: { type: "http", url: "https://x.test", headersHelper: "evil" } }, '{"headersHelper":"evil"}'],
    ["skills/a/SKILL.md", skill("name: a", "  ```! sh\nevil\n  ```"), "+ shell in skills/a/SKILL.md: evil"],
    ["skills/a/SKILL.md", skill('"allowed-tools": [Bash]'), "+ tools without approval in skills/a/SKILL.md: Bash"],
    [
      "skills/a/SKILL.md",
      skill("hooks:\n  Stop:\n    - hooks:\n        - {type: command, command: evil}"),
      "+ hooks in skills/a/SKILL.md: ",
    ],
    [".claude-plugin/plugin.json", { name: "noter", userConfig: option("evil") }, '+ default of option k: "evil"'],
    ["package.json", { name: "noter", version: "1.1.0", scripts: { start: "two" } }, "~ file package.json"],
    ["data.json", { run: "evil" }, "~ file data.json"],
    ["hooks/hooks.json", hook('sh "${CLAUDE_PLUGIN_ROOT}/NOTES.md"'), "+ hook SessionStart: sh"],
    ["NOTES.md", "evil", "~ file NOTES.md"],
    ["bin/LICENSE", "#!/bin/sh\nevil", "+ program bin/LICENSE"],
    ["bin/LICENSE", "#!/bin/sh\nworse", "~ file bin/LICENSE"],
  ];
  for (const [path, content, shown] of changes) {
    put(path, content);
    const { code, stdout } = await plugin(home, "update", "noter");
    expect({ path, code, stdout }).toEqual({ path, code: 1, stdout: expect.stringContaining(shown) });
    expect((await plugin(home, "update", "noter", "--yes")).code).toBe(0);
  }
});

test("a marketplace in git is pinned to a commit; files that changed after the installation are not used", async () => {
  using home = temporaryHome();
  const folder = market(home);
  home.write("~/market/plugins/noter/hooks/hooks.json", hook('sh "${CLAUDE_PLUGIN_ROOT}/note.sh"'));
  home.write("~/market/plugins/noter/note.sh", `${TOUCH}\n`);
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...words], {
      cwd: folder,
      env: home.env,
      encoding: "utf8",
    }).trim();
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "one");
  const commit = git("rev-parse", "HEAD");
  expect(await plugin(home, "marketplace", "add", `file://${folder}`)).toMatchObject({ code: 0, stderr: "" });
  expect(await plugin(home, "install", "noter@local", "-s", "local")).toMatchObject({ code: 0 });
  const records = JSON.parse(home.read("~/.claude/plugins/installed_plugins.json")).plugins["noter@local"];
  expect(records).toMatchObject([{ scope: "local", projectPath: home.project, gitCommitSha: commit }]);
  expect(JSON.parse(home.read("~/.claude/plugins/known_marketplaces.json"))).toMatchObject({
    local: { source: { source: "git", url: `file://${folder}` }, gitCommitSha: commit },
  });
  // Enabled by a file in the folder, which must be trusted first.
  expect(await hookRuns(home)).toBe(false);
  await runKeelson(["trust"], { home });
  expect(await hookRuns(home)).toBe(true);

  appendFileSync(join(records[0].installPath, "note.sh"), "echo evil\n");
  expect(await hookRuns(home)).toBe(false);
  expect((await plugin(home, "list")).stdout).toContain("Its files changed after it was installed");
  expect(await plugin(home, "update", "noter", "--yes")).toMatchObject({ code: 0 });
  expect(await hookRuns(home)).toBe(true);
});

test("a hostile marketplace gets nothing outside its folder, and no name of others", async () => {
  using home = temporaryHome();
  home.write("~/secret/.claude-plugin/plugin.json", { name: "stolen" });
  const folder = market(home, [
    { name: "outside", source: "../secret" },
    { name: "linked", source: "./linked" },
    { name: "made", source: { source: "command", command: "touch ran" } },
    { name: "other-repository", source: { source: "url", url: "ext::touch ran" } },
    { name: "wrong", source: "./plugins/noter", version: 3 },
    { name: "needs", source: "./plugins/needs", strict: false, dependencies: ["x@elsewhere"] },
  ]);
  home.write("~/market/plugins/needs/a.md", "");
  symlinkSync(join(home.home, "secret"), join(folder, "linked"));
  const added = await plugin(home, "marketplace", "add", folder);
  expect(added.stderr.split("\n").map((line) => line.replace(/^.*marketplace\.json/, ""))).toEqual([
    ':14: plugin "outside": "source" "../secret" should not have ".." in it',
    ':37: plugin "wrong": "version" should be a string, not 3',
    "",
  ]);
  const refusal = async (name: string) => (await plugin(home, "install", name)).stderr.trim();
  expect(await refusal("outside@local")).toContain('marketplace "local" has no plugin "outside"');
  expect(await refusal("linked")).toContain("is a link that leads out of the plugin");
  expect(await refusal("made")).toContain("it is made by a command, which Keelson does not run");
  expect(await refusal("other-repository")).toContain("is not an address for git");
  expect(await refusal("needs")).toContain(
    '"needs@local" needs "x@elsewhere", from a marketplace that its own does not list',
  );
  expect(existsSync(join(home.configDir, "plugins/installed_plugins.json"))).toBe(false);
  expect(existsSync(join(home.project, "ran"))).toBe(false);

  home.write("~/fake/.claude-plugin/marketplace.json", {
    name: "claude-plugins-official",
    owner: { name: "x" },
    plugins: [],
  });
  expect(await refusalOf(home, "marketplace", "add", join(home.home, "fake"))).toContain("is reserved");
  home.write("~/fake/.claude-plugin/marketplace.json", { name: "local", owner: { name: "x" }, plugins: [] });
  expect(await refusalOf(home, "marketplace", "add", join(home.home, "fake"))).toContain("is already known");
});

const refusalOf = async (home: TemporaryHome, ...words: readonly string[]) => {
  const { code, stderr } = await plugin(home, ...words);
  expect(code).toBe(1);
  return stderr;
};

test("a plugin brings those it needs; a project names its marketplace", async () => {
  using home = temporaryHome();
  market(home, [
    { name: "top", source: "./plugins/top", strict: false, dependencies: ["noter"], skills: ["./skills/one"] },
  ]);
  home.write("~/market/plugins/top/skills/one/SKILL.md", "one");
  home.write("~/market/plugins/top/skills/two/SKILL.md", "two");
  const source = { source: "directory", path: join(home.home, "market") };
  home.write(".claude/settings.json", {
    extraKnownMarketplaces: { local: { source } },
    enabledPlugins: { "top@local": true },
  });
  expect(await plugin(home, "install", "top@local")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no marketplace "local"'),
  });
  await runKeelson(["trust"], { home });
  home.settings({ extraKnownMarketplaces: { odd: { source: { source: "npm", package: "x" } } } });
  expect((await plugin(home, "install", "top@odd")).stderr).toBe(
    'error: the source of marketplace "odd" cannot be used; it should be a directory, file, github, git or url\n',
  );
  expect((await plugin(home, "install", "top@local")).stdout).toMatch(
    /Installed noter@local[\s\S]*Installed top@local/,
  );
  const { stdout } = await plugin(home, "list", "--json");
  const rows = JSON.parse(stdout);
  expect(rows.map(({ id, enabled }: any) => [id, enabled])).toEqual([
    ["noter@local", true],
    ["top@local", true],
  ]);
  expect(readdirSync(join(rows[1].installPath, "skills"))).toEqual(["one"]);
});

test("plugin validate says which parts of a plugin are not used", async () => {
  using home = temporaryHome();
  const manifest = {
    name: "p",
    version: "1.0.0",
    description: "P",
    channels: [],
    experimental: { monitors: "./m.json" },
  };
  home.write("p/.claude-plugin/plugin.json", JSON.stringify(manifest, null, 1));
  home.write("p/workflows/a.js", "");
  home.write("p/monitors/monitors.json", []);
  home.write("p/themes/broken.json", "{");
  home.write("p/themes/sea.json", { base: "dark", overrides: { error: "#010203" } });
  const { code, stdout } = await plugin(home, "validate", "p");
  expect({ code, lines: stdout.split("\n") }).toEqual({
    code: 1,
    lines: [
      'p/.claude-plugin/plugin.json:5: warning: "channels" is not used by Keelson',
      'p/.claude-plugin/plugin.json:7: warning: "experimental.monitors" is not used by Keelson',
      "p/workflows: warning: is not used by Keelson",
      "p/monitors: warning: is not used by Keelson",
      expect.stringMatching(/^p\/themes\/broken\.json:1: error: is not valid JSON/),
      "p: 1 error, 4 warnings",
      "",
    ],
  });
});

test("plugin validate: one line for each problem, with file, line and fix", async () => {
  using home = temporaryHome();
  home.write("p/.claude-plugin/plugin.json", '{\n  "name": "My_Plugin",\n  "skills": "/skills",\n  "extra": 1\n}\n');
  home.write(
    "p/hooks/hooks.json",
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [{ "type": "comand" }] }\n    ],\n    "Stop": [{ "hooks": [{ "type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/gone.sh" }] }]\n  }\n}\n',
  );
  home.write("p/.mcp.json", { s: { url: "https://x.example" } });
  home.write("p/skills/a/SKILL.md", "---\nname: a\n");
  home.write("p/commands/c.md", "---\ndescription: C\n---\nText\n");
  home.write("p/agents/x.md", "---\nname: x\n---\nText\n");
  symlinkSync("/etc/passwd", join(home.project, "p/out"));
  const { code, stdout } = await plugin(home, "validate", "p");
  expect(code).toBe(1);
  expect(stdout.split("\n")).toEqual([
    'p/.claude-plugin/plugin.json:3: error: "skills": "/skills" should be a path in the plugin that starts with "./"',
    'p/hooks/hooks.json:4: error: hooks.PreToolUse[0].hooks[0].type should be one of command, http, mcp_tool, prompt, agent, not "comand"; this hook is ignored',
    'p/.claude-plugin/plugin.json:4: warning: "extra" is not a field of a manifest; remove it',
    'p/.claude-plugin/plugin.json:2: warning: "name" should be lower-case words joined by hyphens',
    'p/.claude-plugin/plugin.json:1: warning: "description" is missing; say what the plugin is for',
    'p/.claude-plugin/plugin.json:1: warning: "version" is missing; add "version": "0.1.0"',
    'p/.mcp.json:2: error: MCP server "s" has a "url" but no "type"; add "type": "http" ("sse" and "ws" are others)',
    'p/hooks/hooks.json:6: error: hooks.Stop: "gone.sh" does not exist; create it, or correct the path',
    "p/skills/a/SKILL.md:1: warning: the frontmatter has no closing ---, so all of it is text; add a line with ---",
    "p/skills/a/SKILL.md:1: warning: there is no `description`, so the first line of the text is used; add one",
    'p/agents/x.md:1: warning: there is no `description`, so it is listed as "Agent from My_Plugin plugin"; add one',
    'p/out: error: is a link to "/etc/passwd", which is not in the plugin; copy the file instead',
    "p: 5 errors, 7 warnings",
    "",
  ]);
  const made = await plugin(home, "new", "fresh");
  expect(made.code).toBe(0);
  expect(await plugin(home, "validate", "fresh", "--strict")).toEqual({
    code: 0,
    stdout: "fresh: no problems\n",
    stderr: "",
  });
});
