// `--plugin-dir` through the real program: hooks, servers and programs of a plugin take effect in a run.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told } from "../front-door.ts";
import { fakeServer } from "../servers/fake.ts";

const NOTE = `#!/bin/sh
{ cat; echo "$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA|$CLAUDE_PLUGIN_PATH|$CLAUDE_PLUGIN_OPTION_REGION|$1"
  test -n "$CLAUDE_SESSION_ID" && echo session; touch "$CLAUDE_PLUGIN_DATA/state" && echo saved; } > "$CLAUDE_PROJECT_DIR/noted"
`;

test("a plugin's hook runs with its variables, its server is connected, and its program is on the PATH", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "db");
  const plugin = home.write("~/my plugin/.claude-plugin/plugin.json", {
    name: "tools",
    userConfig: { region: { type: "string", title: "Region", description: "Where", default: "eu $(false)" } },
  });
  const root = join(plugin, "../..");
  home.write("~/my plugin/hooks/hooks.json", {
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/note.sh", args: ["${user_config.region}"] }],
        },
      ],
    },
  });
  chmodSync(home.write("~/my plugin/note.sh", NOTE), 0o755);
  chmodSync(home.write("~/my plugin/bin/plugin-tool", "#!/bin/sh\necho from the plugin\n"), 0o755);
  home.write("~/my plugin/.mcp.json", { db: { ...server.entry, alwaysLoad: true } });
  const calls = [
    { name: "mcp__plugin_tools_db__echo", input: { text: "hi" } },
    { name: "Bash", input: { command: "plugin-tool" } },
  ];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const args = ["-p", "go", ...STREAM, "--plugin-dir", root, "--allowedTools", "mcp__plugin_tools_db", "Bash"];
  const ended = await runKeelson(args, { home, url: model.url });

  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done", permission_denials: [] });
  expect(messagesOf(ended, "system/init")[0]).toMatchObject({
    mcp_servers: [{ name: "plugin:tools:db", status: "connected" }],
  });
  expect(told(model.requests[1]!)).toMatchObject([
    { content: [{ type: "text", text: 'echo {"text":"hi"}' }] },
    { content: "from the plugin" },
  ]);
  const data = join(home.home, ".claude/plugins/data/tools-inline");
  const [input, ...lines] = readFileSync(join(home.project, "noted"), "utf8").trim().split("\n");
  expect(JSON.parse(input!)).toMatchObject({ hook_event_name: "PreToolUse", tool_name: "Bash" });
  expect(lines).toEqual([`${root}|${data}|${root}|eu $(false)|eu $(false)`, "session", "saved"]);
  expect(ended.stderr).toBe("");
});

test("a project's plugins do nothing before the folder is trusted", async () => {
  using home = temporaryHome();
  const hook = {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: 'touch "$CLAUDE_PROJECT_DIR/ran"' }] }] },
  };
  home.write(".claude/skills/theirs/.claude-plugin/plugin.json", { name: "theirs" });
  home.write(".claude/skills/theirs/hooks/hooks.json", hook);
  const run = async () => {
    await using model = await startMockModel([{ text: "ok" }]);
    return await runKeelson(["-p", "go"], { home, url: model.url });
  };
  const { stderr } = await run();
  expect(existsSync(join(home.project, "ran"))).toBe(false);
  expect(stderr).toContain('plugin "theirs@skills-dir" is not loaded: this folder has it and is not trusted');
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  await run();
  expect(existsSync(join(home.project, "ran"))).toBe(true);
});

test("a session does not change the texts and programs of its own plugin without approval", async () => {
  using home = temporaryHome();
  home.write("tool/skills/one/SKILL.md", "---\ndescription: One\n---\nText\n");
  const write = (path: string) => ({
    calls: [{ name: "Write", input: { file_path: join(home.project, path), content: "x" } }],
  });
  const paths = ["tool/bin/git", "tool/skills/two/SKILL.md", "tool/notes.md"];
  await using model = await startMockModel([...paths.map(write), { text: "ok" }]);
  const flags = ["--plugin-dir", "tool", "--permission-mode", "acceptEdits"];
  await runKeelson(["-p", "go", ...flags], { home, url: model.url });
  expect(paths.map((path) => existsSync(join(home.project, path)))).toEqual([false, false, true]);
});

test("a session runs as the agent that settings.json of the plugin names", async () => {
  using home = temporaryHome();
  home.write("tool/settings.json", { agent: "lead" });
  home.write("tool/agents/lead.md", "---\nname: lead\ndescription: Leads\n---\nYou lead the work.\n");
  await using model = await startMockModel([{ text: "ok" }]);
  const ended = await runKeelson(["-p", "go", "--plugin-dir", "tool"], { home, url: model.url });
  expect([ended.stdout, ended.stderr]).toEqual(["ok\n", ""]);
  expect(JSON.stringify(model.requests[0]!.body.system)).toContain("You lead the work.");
});

test("allowed-tools and inline commands of a plugin may name its folder, whatever that is called", async () => {
  using home = temporaryHome();
  for (const folder of ["tool", "my tool", "it's"]) {
    const script = home.write(`${folder}/run.sh`, "#!/bin/sh\necho ran $# $2\n");
    chmodSync(script, 0o755);
    home.write(`${folder}/.claude-plugin/plugin.json`, { name: "tool" });
    home.write(
      `${folder}/commands/go.md`,
      '---\nallowed-tools: ["Bash(${CLAUDE_PLUGIN_ROOT}/run.sh:*)"]\n---\n```!\n"${CLAUDE_PLUGIN_ROOT}/run.sh" $ARGUMENTS\n```\n!`${CLAUDE_PLUGIN_ROOT}/run.sh`',
    );
    await using model = await startMockModel([{ text: "ok" }]);
    // A rule for a program covers none whose name has a space in it.
    const flags = ["--plugin-dir", folder, ...(folder.includes(" ") ? ["--allowedTools", "Bash"] : [])];
    await runKeelson(["-p", "/tool:go one '$(id); two'", ...flags], { home, url: model.url });
    expect(told(model.requests[0]!).at(-1).text).toBe("ran 2 $(id); two\nran 0");
  }
});

const HOOK = {
  hooks: { SessionStart: [{ hooks: [{ type: "command", command: 'touch "$CLAUDE_PROJECT_DIR/ran"' }] }] },
};

test("an archive is unpacked for the session, from a file or an address, and removed", async () => {
  using home = temporaryHome();
  const manifest = home.write("~/p/.claude-plugin/plugin.json", { name: "packed" });
  home.write("~/p/hooks/hooks.json", HOOK);
  const archive = join(home.root, "packed.tgz");
  execFileSync("tar", ["-czf", archive, "-C", join(manifest, "../../.."), "p"]);
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(Bun.file(archive)) });
  const run = async (...args: readonly string[]) => {
    await using model = await startMockModel([{ text: "ok" }]);
    const { code, stdout, stderr } = await runKeelson(["-p", "go", ...args], { home, url: model.url });
    const ran = existsSync(join(home.project, "ran"));
    rmSync(join(home.project, "ran"), { force: true });
    return { code, stdout, stderr, ran };
  };
  const worked = { code: 0, stdout: "ok\n", stderr: "", ran: true };
  expect(await run("--plugin-dir", archive)).toEqual(worked);
  expect(await run("--plugin-url", `${server.url.href}packed.tgz`)).toEqual(worked);
  expect(readdirSync(join(home.root, "tmp")).filter((name) => name.includes("plugins"))).toEqual([]);

  writeFileSync(archive, "not an archive");
  expect(await run("--plugin-dir", archive)).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: cannot use the plugin: The archive has no files\n",
    ran: false,
  });
});

test("a sensitive option goes from the secret store to the hook and the server, and is in no file or listing", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "db");
  const option = { type: "string", title: "Token", description: "For the service", sensitive: true };
  home.write("~/.claude/skills/safe/.claude-plugin/plugin.json", { name: "safe", userConfig: { token: option } });
  const command = 'printf %s "$CLAUDE_PLUGIN_OPTION_TOKEN" > "$CLAUDE_PROJECT_DIR/seen"';
  home.write("~/.claude/skills/safe/hooks/hooks.json", {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
  });
  home.write("~/.claude/skills/safe/.mcp.json", {
    db: { ...server.entry, args: [...server.entry.args, "${user_config.token}"], alwaysLoad: true },
  });
  const saved = await runKeelson(["plugin", "configure", "safe", "token", "s3cret"], { home });
  expect(saved.stdout).toBe("Saved token of safe@skills-dir in the secret store\n");
  await using model = await startMockModel([{ text: "ok" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "system/init")[0].mcp_servers).toMatchObject([{ status: "connected" }]);
  expect(home.read("seen")).toBe("s3cret");
  expect(server.notes.some(({ argv }) => argv?.includes("s3cret"))).toBe(true);
  const listed = await runKeelson(["mcp", "get", "plugin:safe:db"], { home });
  const shown = await runKeelson(["plugin", "configure", "safe"], { home });
  expect(`${listed.stdout}${shown.stdout}${ended.stdout}`).not.toContain("s3cret");
});

test.each([
  ["its folder is named", ["--plugin-dir", "tool"]],
  ["only its name is known", []],
])("a secret option reaches a plugin of --plugin-dir and is in no settings file, if %s", async (_, flags) => {
  using home = temporaryHome();
  home.write("tool/.claude-plugin/plugin.json", {
    name: "tool",
    userConfig: { token: { type: "string", title: "Token", description: "Key", sensitive: true } },
  });
  const command = `printf %s "$CLAUDE_PLUGIN_OPTION_TOKEN" > ${home.root}/got`;
  home.write("tool/hooks/hooks.json", { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
  home.write("~/.claude/settings.json", { pluginConfigs: { "tool@inline": { options: { token: "in-the-clear" } } } });
  const set = await runKeelson(["plugin", "configure", "tool@inline", "token", "s3cret-value", ...flags], { home });
  expect([set.code, set.stdout.split("\n")[0]]).toEqual([0, "Saved token of tool@inline in the secret store"]);
  await using model = await startMockModel([{ text: "done" }]);
  const { stderr } = await runKeelson(["-p", "go", "--plugin-dir", "tool"], { home, url: model.url });
  expect([stderr, readFileSync(join(home.root, "got"), "utf8")]).toEqual(["", "s3cret-value"]);
  const files = [...new Bun.Glob("**/*.json").scanSync({ cwd: home.root, dot: true })].filter(
    (name) => !name.includes("mcp-credentials"),
  );
  for (const name of files) expect(readFileSync(join(home.root, name), "utf8")).not.toMatch(/s3cret|in-the-clear/);
});
