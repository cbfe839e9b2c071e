// The hooks in examples/hooks, each put into a project as its README says, and what its user would notice.

import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { told } from "./sessions/front-door.ts";

const folder = join(dirname(import.meta.dir), "examples", "hooks");

/** The script where it belongs, its settings in the project. */
function install(home: TemporaryHome, name: string, more: object = {}): void {
  mkdirSync(join(home.project, ".claude/hooks"), { recursive: true });
  const script = join(home.project, ".claude/hooks", `${name}.sh`);
  copyFileSync(join(folder, `${name}.sh`), script);
  chmodSync(script, 0o755);
  home.write(".claude/settings.json", JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));
  home.settings(more);
}

const ALLOW = { permissions: { allow: ["Bash(git push *)", "Edit", "Write"] } };
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const write = (home: TemporaryHome, path: string, content: string): ScriptedCall => ({
  name: "Write",
  input: { file_path: join(home.project, path), content },
});
/** What the model read about each of its calls. */
const read = (request: Parameters<typeof told>[0]) =>
  told(request)
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));

test("every example has a script that says what it is, settings that are sound, and a row in the README", async () => {
  const names = readdirSync(folder).flatMap((name) => (name.endsWith(".sh") ? [name.slice(0, -3)] : []));
  const page = readFileSync(join(folder, "README.md"), "utf8");
  expect(names).toHaveLength(6);
  for (const name of names) {
    using home = temporaryHome();
    install(home, name);
    const { stdout, stderr } = await runKeelson(["hooks", "list", "--json"], { home });
    expect({ name, warned: stderr, wrong: JSON.parse(stdout).hooks.filter(({ runs }: any) => !runs) }).toEqual({
      name,
      warned: "",
      wrong: [],
    });
    expect(page).toContain(`| [${name}](${name}.sh)`);
    expect(readFileSync(join(folder, `${name}.sh`), "utf8")).toMatch(/^#!\/bin\/sh\n# .+\n# Events?: .+/);
  }
});

test("lint-after-edit tells the model about the syntax error it just wrote, and nothing about sound files", async () => {
  using home = temporaryHome();
  install(home, "lint-after-edit", ALLOW);
  const calls = [
    write(home, "bad.js", "let x = ;\n"),
    write(home, "good.js", "let x = 1;\n"),
    write(home, "a.json", "{"),
  ];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const all = JSON.stringify(told(model.requests[1]!));
  expect(all).toContain(`Problems in ${home.project}/bad.js:`);
  expect(all).toContain("SyntaxError");
  expect(all).toContain(`Problems in ${home.project}/a.json:`);
  expect(all).not.toContain(`Problems in ${home.project}/good.js`);
  expect(existsSync(join(home.project, "bad.js"))).toBe(true);
});

test("block-force-push refuses force pushes in any company, and lets others through", async () => {
  using home = temporaryHome();
  install(home, "block-force-push", ALLOW);
  // No remote: nothing can leave, whatever runs.
  const commands = [
    "git push --force origin main",
    "git push -fu origin main",
    "git push origin +main",
    "git status && git push -f",
    "git push origin main",
    "git push --force-with-lease",
  ];
  await using model = await startMockModel([{ calls: commands.map(bash) }, { text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const refused = read(model.requests[1]!).map((text) => text.includes("Force pushes are not allowed here"));
  expect(refused).toEqual([true, true, true, true, false, false]);
});

test("protect-files refuses protected files with its own reason, behind links too, and takes a list", async () => {
  using home = temporaryHome();
  install(home, "protect-files", ALLOW);
  home.write("migrations/1.sql", "");
  symlinkSync("migrations", join(home.project, "link"));
  const calls = [".env", "package-lock.json", "migrations/2.sql", "link/3.sql", "src/a.ts"].map((path) =>
    write(home, path, "x"),
  );
  await using model = await startMockModel([
    { calls },
    { text: "done" },
    { calls: [calls[0]!, write(home, "src/b.ts", "x")] },
    { text: "done" },
  ]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(read(model.requests[1]!)).toEqual([
    ".env is protected (.env). Change its source, or ask the user.",
    "package-lock.json is protected (package-lock.json). Change its source, or ask the user.",
    "migrations/2.sql is protected (migrations/*). Change its source, or ask the user.",
    "migrations/3.sql is protected (migrations/*). Change its source, or ask the user.",
    expect.stringContaining("src/a.ts"),
  ]);
  expect(existsSync(join(home.project, ".env"))).toBe(false);

  home.write(".claude/protected-files", "# ours\nsrc/*\n");
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(read(model.requests[3]!).map((text) => text.includes("is protected (src/*)"))).toEqual([false, true]);
});

test("notify says what the agent said last", async () => {
  using home = temporaryHome();
  const heard = join(home.root, "heard");
  chmodSync(home.write("say.sh", `#!/bin/sh\nprintf '%s' "$1" > "${heard}"\n`), 0o755);
  install(home, "notify", { env: { NOTIFY_COMMAND: join(home.project, "say.sh") } });
  await using model = await startMockModel([{ text: "All\ntests pass" }]);
  const { stdout } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect({ stdout, heard: readFileSync(heard, "utf8") }).toEqual({
    stdout: "All\ntests pass\n",
    heard: "Done: All tests pass",
  });
});

test("test-on-stop sends the model back to work once while the tests fail", async () => {
  using home = temporaryHome({ git: true });
  install(home, "test-on-stop", { ...ALLOW, env: { TEST_COMMAND: "echo checking; test -f fixed" } });
  await using model = await startMockModel([
    { text: "done" },
    { calls: [write(home, "fixed", "")] },
    { text: "really done" },
  ]);
  const { stdout } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect(stdout).toBe("really done\n");
  const sent = JSON.stringify(model.requests[1]!.body.messages.at(-1));
  expect(sent).toContain("Stop hook feedback:");
  expect(sent).toContain("The tests fail. Fix them before you stop:\\nchecking");
});

test("audit-log keeps every prompt and call on a line, in a private file", async () => {
  using home = temporaryHome();
  const log = join(home.root, "audit/log.jsonl");
  install(home, "audit-log", { env: { AUDIT_LOG: log } });
  await using model = await startMockModel([
    { calls: [bash("echo hello"), { name: "Read", input: { file_path: "gone" } }] },
    { text: "x" },
  ]);
  await runKeelson(["-p", "what is here?"], { home, url: model.url });
  const lines = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const short = lines.map(({ event, tool, prompt }) => [event, tool ?? prompt].join(" ")).toSorted();
  expect(short).toEqual([
    "PostToolUse Bash",
    "PostToolUseFailure Read",
    "PreToolUse Bash",
    "PreToolUse Read",
    "UserPromptSubmit what is here?",
  ]);
  expect(lines.find(({ event, tool }) => event === "PreToolUse" && tool === "Bash")).toMatchObject({
    cwd: home.project,
    mode: "default",
    input: { command: "echo hello" },
  });
  expect(statSync(log).mode & 0o777).toBe(0o600);
});
