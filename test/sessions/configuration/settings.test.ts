// Settings through the front door: shown, changed and explained by commands, and harmless when they are wrong.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";

const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });
const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });

test("a setting is written, found again with its line, and acted on", async () => {
  using home = temporaryHome();
  home.write("~/.claude/settings.json", '{\n  // mine\n  "model": "sonnet"\n}\n');
  home.write("secret.txt", "hush");
  const run = (...args: string[]) => runKeelson(["config", ...args], { home });

  expect(await run("set", "permissions.deny", '["Read(secret.txt)"]')).toMatchObject({
    code: 0,
    stdout: 'permissions.deny = ["Read(secret.txt)"] in ~/.claude/settings.json\n',
    stderr: "",
  });
  const file = join(home.configDir, "settings.json");
  expect(readFileSync(file, "utf8")).toContain("  // mine\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run("get", "permissions.deny")).stdout).toBe('["Read(secret.txt)"]\n');
  expect((await run("list")).stdout).toMatch(/^permissions\.deny .* ~\/\.claude\/settings\.json:5$/m);
  expect((await run("path")).stdout).toMatch(/^user +\S+settings\.json +present$/m);

  const { results } = await attempt(home, [read("secret.txt")], ["--dangerously-skip-permissions"], {
    IS_SANDBOX: "1",
  });
  expect(results).toEqual(["refused"]);
});

interface Mistake {
  readonly name: string;
  readonly text: string;
  readonly said: string;
}

/** Each was meant to deny `Read(secret.txt)` and `Write`; another file allows both. */
const MISTAKES: readonly Mistake[] = [
  {
    name: "a bracket too many",
    text: '{ "permissions": { "deny": ["Read(secret.txt)", "Write"] ] } }',
    said: "not valid JSON: line 1",
  },
  {
    name: "the end is missing",
    text: '{ "permissions": { "deny": ["Read(secret.txt)", "Write"',
    said: "not valid JSON",
  },
  {
    name: "rules that cannot be read",
    text: '{ "permissions": { "deny": ["Read(secret.txt", "Write("] } }',
    said: "every Read call asks",
  },
  {
    name: "a number among them",
    text: '{ "permissions": { "deny": ["Read(secret.txt)", 7] } }',
    said: "permissions.deny[1] should be a rule",
  },
  {
    name: "the key twice",
    text: '{ "permissions": { "deny": ["Read(secret.txt)", "Write"], "deny": [] } }',
    said: "appears more than once",
  },
  {
    name: "other values wrong",
    text: '{ "model": 7, "env": [], "theme": 1, "permissions": { "deny": ["Read(secret.txt)", "Write"], "defaultMode": "yolo" } }',
    said: "model should be a string",
  },
];

test.each(MISTAKES)(
  "settings with a mistake ($name): the start goes on, says so, and permits nothing more",
  async ({ text, said }) => {
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Write", "Read", "Edit"], defaultMode: "acceptEdits" } });
    home.write(".claude/settings.local.json", text);
    home.write("secret.txt", "hush");

    const { ended, results, shown } = await attempt(home, [read("secret.txt"), write("a.txt")]);

    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("settings.local.json");
    expect(ended.stderr).toContain(said);
    expect(results).toEqual(["refused", "refused"]);
    expect(shown).not.toContain("hush");
    expect(existsSync(join(home.project, "a.txt"))).toBe(false);

    const doctor = await runKeelson(["doctor"], { home });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(said);
  },
);

test("while rules may be missing, the command line cannot open what they might have closed", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.local.json", '{ "permissions": { "deny": ["Wri');
  const { ended, results } = await attempt(home, [write("a.txt")], ["--dangerously-skip-permissions"], {
    IS_SANDBOX: "1",
  });
  expect(results).toEqual(["refused"]);
  expect(messagesOf(ended, "system/init")[0].permissionMode).toBe("default");
  expect(ended.stderr).toContain("until this is fixed, allow rules are ignored");
});

test("--require-trust: a folder nobody trusted may only deny and ask", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", {
    model: "claude-theirs",
    permissions: { deny: ["Read(secret.txt)"], defaultMode: "plan" },
  });
  home.write(".claude/settings.local.json", { permissions: { allow: ["Write"] } });
  home.write("secret.txt", "hush");

  const { ended, results, model } = await attempt(home, [read("secret.txt"), write("a.txt")], ["--require-trust"]);
  expect(results).toEqual(["refused", "refused"]);
  expect(model).not.toBe("claude-theirs");
  expect(messagesOf(ended, "system/init")[0].permissionMode).toBe("default");
  expect(ended.stderr).toContain("model, permissions.defaultMode ignored: trust is required");
  expect(ended.stderr).toContain(`run: keelson trust ${home.project}`);

  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  const trusted = await attempt(home, [read("secret.txt")], ["--require-trust"]);
  expect([trusted.model, trusted.ended.stderr]).toEqual(["claude-theirs", ""]);
});

test("doctor says what is there and never shows a key", async () => {
  using home = temporaryHome();
  home.settings({ useAutoModeDuringPlan: true, env: { ANTHROPIC_API_KEY: "sk-very-secret" } });
  const { code, stdout, stderr } = await runKeelson(["doctor"], { home });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("No problems found");
  expect(stdout).toContain("useAutoModeDuringPlan (~/.claude/settings.json:2): not implemented yet");
  expect(stdout).toMatch(/✓ ripgrep +\S+rg/);
  expect(stdout).toMatch(/[✓·] shield +/);
  expect(stdout).not.toContain("sk-very-secret");
});

test("doctor counts what it prints", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { permissions: { allow: ["Read(", "Bash("], deny: 5 }, hooks: { Nope: [] } });
  home.write(".claude/settings.local.json", '{ "permissions": ');
  home.settings({ useAutoModeDuringPlan: true, model: 5 });
  home.write(".mcp.json", { mcpServers: { gone: { command: "no-such-program" }, odd: { type: "nope" }, wrong: 5 } });
  for (const prepare of [() => {}, () => home.write(".claude/settings.local.json", "{}")]) {
    prepare();
    const { stdout, code } = await runKeelson(["doctor"], { home });
    const count = (mark: string) => stdout.split("\n").filter((line) => line.startsWith(mark)).length;
    const [, problems, notes] = /\n\n(No|\d+) problems? found(?:, (\d+) notes?)?\n$/.exec(stdout)!;
    expect([Number(problems === "No" ? 0 : problems), Number(notes ?? 0)]).toEqual([count("✗"), count("·")]);
    expect(code).toBe(count("✗") > 0 ? 1 : 0);
  }
});

test("doctor says that the config folder cannot be made, and what helps", async () => {
  using home = temporaryHome();
  home.write("file", "");
  const env = { CLAUDE_CONFIG_DIR: join(home.project, "file", "config") };
  const { code, stdout } = await runKeelson(["doctor"], { home, env });
  expect(code).toBe(1);
  expect(stdout).toContain(
    "cannot be created, so sessions are not saved; set CLAUDE_CONFIG_DIR to a folder that you can write to",
  );
});

test("a word that is a command elsewhere in a prompt is a prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "fine" }]);
  const ended = await runKeelson(["-p", "config list"], { home, url: model.url });
  expect(ended).toMatchObject({ code: 0, stdout: "fine\n" });
});

/** Lets the model make these calls and says what became of them. */
async function attempt(
  home: TemporaryHome,
  calls: readonly ScriptedCall[],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...args], { home, url: model.url, env });
  const answers = told(model.requests[1]!);
  return {
    ended,
    results: answers.map(({ is_error }) => (is_error ? "refused" : "ran")),
    shown: JSON.stringify(answers),
    model: model.requests[0]!.body.model as string,
  };
}
