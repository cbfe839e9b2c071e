// What `keelson permissions` says is what a session does: the same settings, the same gate, the real program.
// Commands here are harmless: what is tested is the decision, never the damage.

import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";

const RULES = {
  permissions: {
    deny: ["Read(.env)", "Bash(touch never*)"],
    ask: ["Bash(touch perhaps*)"],
    allow: ["Bash(touch *)", "Edit(notes/**)"],
  },
};

async function permissions(home: TemporaryHome, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runKeelson(["permissions", ...words], { home });
  return { code, stdout, stderr };
}

test("what explain says of a call is what happens to it", async () => {
  using home = temporaryHome();
  home.settings(RULES);
  home.write(".env", "SECRET=1");
  home.write("a.txt", "text");
  const calls: ScriptedCall[] = [
    ...[
      "touch made.txt",
      "touch perhaps.txt",
      "touch never.txt",
      "touch made.txt && touch never.txt",
      "cat a.txt | wc -l",
      "cat .env",
      "echo x > notes/b.txt",
      "echo x > elsewhere.txt",
      "(touch made.txt)",
      "nice touch made.txt",
      "touch $HOME/made.txt",
    ].map((command) => ({ name: "Bash", input: { command } })),
    { name: "Read", input: { file_path: ".env" } },
    { name: "Read", input: { file_path: "a.txt" } },
    { name: "Read", input: { file_path: join(home.home, "a.txt") } },
    { name: "Write", input: { file_path: "notes/c.txt", content: "x" } },
    { name: "Write", input: { file_path: ".claude/settings.json", content: "{}" } },
  ];
  home.write("notes/a.txt", "x");
  home.write("~/a.txt", "x");
  home.write(
    "calls.json",
    calls.map(({ name, input }) => ({ tool: name, input, expect: "allow" })),
  );

  const { stdout } = await permissions(home, "test", "calls.json", "--json");
  const said = JSON.parse(stdout).results.map(({ verdict }: any) => (verdict === "allow" ? "ran" : "denied"));

  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const denied = new Set(resultOf(ended).permission_denials.map(({ tool_use_id }: any) => tool_use_id));
  const done = told(model.requests[1]!).map(({ tool_use_id }) => (denied.has(tool_use_id) ? "denied" : "ran"));

  expect(said).toEqual(done);
  expect(new Set(done)).toEqual(new Set(["ran", "denied"]));
});

test("a program that the PATH finds in the project does not run for its name", async () => {
  using home = temporaryHome();
  home.write("a.txt", "text");
  home.write(".venv/bin/ls", `#!/bin/sh\necho x > '${join(home.project, "planted")}'\n`);
  chmodSync(join(home.project, ".venv/bin/ls"), 0o755);
  const env = { PATH: `${join(home.project, ".venv/bin")}:${process.env["PATH"]}` };
  const calls = ["ls", "cat a.txt"].map((command) => ({ name: "Bash", input: { command } }));
  await using model = await startMockModel([{ calls }, { text: "done" }]);

  const ended = await runKeelson(["-p", "go", "--permission-mode", "acceptEdits", ...STREAM], {
    home,
    url: model.url,
    env,
  });
  const denied = resultOf(ended).permission_denials.map(({ tool_input }: any) => tool_input.command);
  const { stdout } = await runKeelson(["permissions", "explain", "Bash(ls)"], { home, env });

  expect({ denied, planted: existsSync(join(home.project, "planted")) }).toEqual({ denied: ["ls"], planted: false });
  expect(stdout).toContain(`it would run '${join(home.project, ".venv/bin/ls")}', which is in a working directory`);
});

test("the way out that explain shows works when it is followed", async () => {
  using home = temporaryHome();
  const { stdout } = await permissions(home, "explain", "Bash(touch made.txt)");
  const line = /^ +keelson (config set .*)$/m.exec(stdout)![1]!;
  const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);

  expect((await permissions(home, "explain", "Bash(touch made.txt)", "--exit-code")).code).toBe(1);
  expect((await runKeelson(words, { home })).code).toBe(0);
  expect((await permissions(home, "explain", "Bash(touch made.txt)", "--exit-code")).code).toBe(0);
  expect((await permissions(home, "explain", "Bash(touch other.txt)", "--exit-code")).code).toBe(1);

  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch made.txt" } }] },
    { text: "done" },
  ]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(existsSync(join(home.project, "made.txt"))).toBe(true);
});

test("a team's table passes until someone loosens a rule", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { permissions: { deny: ["Bash(curl *)"] } });
  home.write("permissions.test", "deny  Bash(curl -s example.com)\nallow Bash(git status)\n");
  expect(await permissions(home, "test", "permissions.test")).toEqual({
    code: 0,
    stdout: "✓ 2 calls, all as expected\n",
    stderr: "",
  });

  home.write(".claude/settings.json", { permissions: { deny: [] } });
  const { code, stdout } = await permissions(home, "test", "permissions.test");
  expect({ code, first: stdout.split("\n")[0] }).toEqual({
    code: 1,
    first: "✗ permissions.test:1  Bash(curl -s example.com)",
  });
});

test("an untrusted folder's allow rules are explained away, and count once it is trusted", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { permissions: { allow: ["Bash(make)"] } });
  const before = await permissions(home, "explain", "Bash(make)", "--exit-code");
  expect({ code: before.code, warned: before.stderr.includes("this folder is not trusted") }).toEqual({
    code: 1,
    warned: true,
  });
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  const { code, stdout, stderr } = await permissions(home, "explain", "Bash(make)", "--exit-code");
  expect({ code, stderr, rule: stdout.split("\n")[1] }).toEqual({
    code: 0,
    stderr: "",
    rule: "  allow rule Bash(make)  .claude/settings.json:4",
  });
});
