// Who may do what: modes, rules of every scope, folders no one trusted, and how a refusal is told.
// Commands here are harmless: what is tested is the decision, never the damage.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, messagesOf, prompt, resultOf, STREAM, told } from "../front-door.ts";

const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const isRoot = process.getuid?.() === 0;

test("in default mode, with nobody to ask, writing and running are refused with the way out", async () => {
  using home = temporaryHome();
  const { ended, told } = await attempt(home, [write("a.txt"), bash("touch b.txt")]);

  expect(existsSync(join(home.project, "a.txt")) || existsSync(join(home.project, "b.txt"))).toBe(false);
  expect(told.map(({ is_error }) => is_error)).toEqual([true, true]);
  for (const { content } of told) {
    expect(content).toContain("No one is available to approve it in this session. Do not retry it: go on without it");
  }
  expect(told[0].content).toContain("a.txt");
  expect(messagesOf(ended, "system/permission_denied")).toEqual([
    {
      type: "system",
      subtype: "permission_denied",
      tool_name: "Write",
      tool_use_id: "call_1_1",
      decision_reason_type: "other",
      decision_reason: expect.stringMatching(/^Permission to write to .* was not granted\.$/),
      how_to_allow: expect.stringMatching(/--permission-mode acceptEdits/),
      message: told[0].content,
      session_id: expect.any(String),
      uuid: expect.any(String),
    },
    expect.objectContaining({ tool_name: "Bash", tool_use_id: "call_1_2", message: told[1].content }),
  ]);
  expect(resultOf(ended)).toMatchObject({
    subtype: "success",
    is_error: false,
    permission_denials: [
      { tool_name: "Write", tool_use_id: "call_1_1", tool_input: { file_path: "a.txt", content: "x" } },
      { tool_name: "Bash", tool_use_id: "call_1_2", tool_input: { command: "touch b.txt" } },
    ],
  });
  expect(messagesOf(ended, "user")[0]).toMatchObject({
    tool_use_result: `Error: ${told[0].content}`,
    tool_result_meta: [{ id: "call_1_1", permission_decision: { decision: "reject", source: "config" } }],
  });
  expect(ended.code).toBe(0);
});

test("a PermissionRequest hook runs to its end, although the client answers first", async () => {
  using home = temporaryHome();
  const go = join(home.project, "go");
  expect(Bun.spawnSync(["mkfifo", go]).success).toBe(true);
  const command = `cat "${go}" && touch "$CLAUDE_PROJECT_DIR/noted"`;
  home.settings({ hooks: { PermissionRequest: [{ hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel([{ calls: [bash("touch b.txt")] }, { text: "done" }]);
  const args = [...CHAT, "--permission-prompt-tool", "stdio", "--include-hook-events"];
  await using running = startKeelson(args, { home, url: model.url, stdin: "open" });
  running.send(prompt("go"));
  const { json: asked } = await running.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  running.send(answer(asked.request_id, { behavior: "deny", message: "No" }));
  await running.waitForLine(({ type }) => type === "user");
  void writeFile(go, "");
  const { json: ended } = await running.waitForLine(
    ({ subtype, hook_event: event }) => subtype === "hook_response" && event === "PermissionRequest",
  );
  expect(ended).toMatchObject({ outcome: "success", exit_code: 0 });
  expect(existsSync(join(home.project, "noted"))).toBe(true);
  running.closeStdin();
  expect(messagesOf(await running.done, "system/informational")).toEqual([]);
});

test("a question says whether its reason tells more than that approval is needed", async () => {
  using home = temporaryHome();
  const outside = home.write("~/out.txt", "outside");
  const calls = [
    { name: "Write", input: { file_path: "a.txt", content: "x" } },
    { name: "Read", input: { file_path: outside } },
    bash("touch b.txt"),
    bash("rm -rf ."),
    { name: "Write", input: { file_path: ".git/config", content: "x" } },
  ];
  await using model = await startMockModel([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using running = startKeelson(args, { home, url: model.url, stdin: "open" });
  running.send(prompt("go"));
  const seen: unknown[] = [];
  for (const [index] of calls.entries()) {
    const id = `call_${index + 1}_1`;
    const { json: asked } = await running.waitForLine(({ request }) => request?.tool_use_id === id);
    seen.push(asked.request.decision_reason_is_default ?? asked.request.decision_reason);
    running.send(answer(asked.request_id, { behavior: "deny", message: "No" }));
  }
  expect(seen).toEqual([
    true,
    true,
    true,
    expect.stringContaining("it would remove"),
    expect.stringContaining("It is protected"),
  ]);
});

test("in default mode looking is free inside the folder, and only there", async () => {
  using home = temporaryHome();
  home.write("in.txt", "inside");
  const outside = home.write("~/out.txt", "outside");
  const { verdicts } = await attempt(home, [
    { name: "Read", input: { file_path: "in.txt" } },
    { name: "Read", input: { file_path: outside } },
    { name: "Read", input: { file_path: "../home/out.txt" } },
    { name: "Grep", input: { pattern: "o", path: home.home } },
    bash("cat in.txt | wc -l"),
    bash(`cat ${outside}`),
  ]);
  expect(verdicts).toEqual(["ran", "denied", "denied", "denied", "ran", "denied"]);
});

test.each([
  ["acceptEdits", ["ran", "ran", "denied", "denied"]],
  ["plan", ["denied", "denied", "denied", "denied"]],
  ["dontAsk", ["denied", "denied", "denied", "denied"]],
  ["default", ["denied", "denied", "denied", "denied"]],
  ["manual", ["denied", "denied", "denied", "denied"]],
])("mode %s", async (mode, expected) => {
  using home = temporaryHome();
  const { verdicts, ended } = await attempt(
    home,
    [write("a.txt"), bash("touch made.txt"), write(join(home.home, "out.txt")), bash("node --eval 1")],
    ["--permission-mode", mode],
  );
  expect<string[]>(verdicts).toEqual(expected);
  expect(messagesOf(ended, "system/init")[0].permissionMode).toBe(mode === "manual" ? "default" : mode);
});

test("acceptEdits does not reach the files that run code by being there", async () => {
  using home = temporaryHome();
  const { verdicts, ended } = await attempt(
    home,
    [
      write(".git/hooks/pre-commit"),
      write(".claude/settings.json"),
      write(".mcp.json"),
      write(".bashrc"),
      write("CLAUDE.md"),
    ],
    ["--permission-mode", "acceptEdits"],
  );
  expect(verdicts).toEqual(["denied", "denied", "denied", "denied", "ran"]);
  for (const line of messagesOf(ended, "system/permission_denied")) {
    expect(line.decision_reason_type).toBe("safetyCheck");
  }
});

test("dontAsk denies what would be asked and runs what is allowed", async () => {
  using home = temporaryHome();
  const { verdicts, told } = await attempt(
    home,
    [bash("touch a.txt"), bash("touch b.txt")],
    ["--permission-mode", "dontAsk", "--allowedTools", "Bash(touch a.txt)"],
  );
  expect(verdicts).toEqual(["ran", "denied"]);
  expect(told[1].content).toContain("Permission to use Bash has been denied because");
});

test("plan denies edits even where a rule allows them", async () => {
  using home = temporaryHome();
  const { verdicts, told } = await attempt(
    home,
    [write("a.txt")],
    ["--permission-mode", "plan", "--allowedTools", "Write"],
  );
  expect(verdicts).toEqual(["denied"]);
  expect(told[0].content).toStartWith("Cannot write to ");
  expect(told[0].content).toContain("while in plan mode.");
});

test("asking about nothing is refused to root, unless in a sandbox", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "ok" }));
  const run = (flags: string[], env: Record<string, string> = {}) =>
    runKeelson(["-p", "go", ...flags], { home, url: model.url, env });
  const text = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
  for (const flags of [["--dangerously-skip-permissions"], ["--permission-mode", "bypassPermissions"]]) {
    const { code, stderr } = await run(flags);
    expect([code, stderr.includes(text)]).toEqual(isRoot ? [1, true] : [0, false]);
    expect(await run(flags, { IS_SANDBOX: "1" })).toMatchObject({ code: 0, stdout: "ok\n", stderr: "" });
  }
});

test("asking about nothing still obeys deny rules", async () => {
  using home = temporaryHome();
  const { verdicts } = await attempt(
    home,
    [write("a.txt"), bash("touch b.txt"), bash("env touch c.txt"), bash("bash -c 'touch d.txt'"), bash("echo hi")],
    ["--dangerously-skip-permissions", "--disallowedTools", "Bash(touch *)"],
    { IS_SANDBOX: "1" },
  );
  expect(verdicts).toEqual(["ran", "denied", "denied", "denied", "ran"]);
});

test("--allowedTools: whole tools, commands by their beginning, edits by path", async () => {
  using home = temporaryHome();
  mkdirSync(join(home.project, "src"));
  const { verdicts } = await attempt(
    home,
    [
      bash("touch one.txt"),
      bash("touchy one.txt"),
      bash("mkdir dir"),
      bash("touch one.txt && mkdir dir"),
      write("src/a.ts"),
      write("a.ts"),
    ],
    ["--allowedTools", "Bash(touch *)", "Edit(src/**)"],
  );
  expect(verdicts).toEqual(["ran", "denied", "denied", "denied", "ran", "denied"]);
});

test("lists of rules may be separated by commas or blanks, under either spelling of the flag", async () => {
  for (const flags of [
    ["--allowedTools", "Write,Bash(mkdir dir)"],
    ["--allowed-tools", "Write", "Bash(mkdir dir)"],
    ["--allowedTools=Write Bash(mkdir dir)"],
  ]) {
    using home = temporaryHome();
    const { verdicts } = await attempt(home, [write("a.txt"), bash("mkdir dir")], flags);
    expect([flags, verdicts]).toEqual([flags, ["ran", "ran"]]);
  }
});

test("deny beats allow, whatever is more exact and wherever it stands", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { deny: ["Bash(touch *)", "Read(secret.txt)"], allow: ["Write"] } });
  home.write("secret.txt", "hush");
  const { verdicts, told } = await attempt(
    home,
    [bash("touch a.txt"), { name: "Read", input: { file_path: "secret.txt" } }, bash("cat secret.txt"), write("a.txt")],
    ["--allowedTools", "Bash(touch a.txt)", "Bash", "Read"],
  );
  expect(verdicts).toEqual(["denied", "denied", "denied", "ran"]);
  expect(told[0].content).toBe(
    "Permission to use Bash with command touch a.txt has been denied. The deny rule is Bash(touch *), from userSettings. Do not reach the same end in another way: go on without it, and say at the end what was left undone.",
  );
  expect(told[1].content).toContain("File is in a directory that is denied by your permission settings.");
  expect(JSON.stringify(told)).not.toContain("hush");
});

test("ask beats allow, and with nobody to ask that is a no", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { ask: ["Bash(mkdir *)"] } });
  const { verdicts } = await attempt(home, [bash("mkdir dir"), bash("touch a.txt")], ["--allowedTools", "Bash"]);
  expect(verdicts).toEqual(["denied", "ran"]);
});

test.each([
  ["of the user", "~/.claude/settings.json"],
  ["of the project, where that is trusted", ".claude/settings.json"],
  ["of the user for the project", ".claude/settings.local.json"],
])("rules are read from the settings %s", async (_, file) => {
  using home = temporaryHome();
  home.write(file, { permissions: { allow: ["Write"], deny: ["Bash(touch *)"] } });
  trust(home);
  const { verdicts, ended } = await attempt(home, [write("a.txt"), bash("touch b.txt")], ["--allowedTools", "Bash"]);
  expect(verdicts).toEqual(["ran", "denied"]);
  expect(ended.stderr).toBe("");
});

test("rules are read from --settings, inline or from a file", async () => {
  using home = temporaryHome();
  const settings = { permissions: { allow: ["Write"] } };
  const file = home.write("~/mine.json", settings);
  for (const given of [JSON.stringify(settings), file]) {
    const { verdicts } = await attempt(home, [write(`${given.length}.txt`)], ["--settings", given]);
    expect(verdicts).toEqual(["ran"]);
  }
  const missing = await runKeelson(["-p", "go", "--settings", "nowhere.json"], { home });
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toContain("settings file not found: ");
});

test("--setting-sources leaves the other files unread", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Write"] } });
  const { verdicts } = await attempt(home, [write("a.txt")], ["--setting-sources", "project,local"]);
  expect(verdicts).toEqual(["denied"]);
});

test("a folder nobody trusted may narrow what is allowed, not widen it, and this is said with the fix", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", {
    permissions: { allow: ["Write", "Bash"], additionalDirectories: ["/"], deny: ["Read(secret.txt)"] },
  });
  home.write("secret.txt", "hush");
  const outside = home.write("~/out.txt", "outside");

  const { verdicts, ended } = await attempt(home, [
    write("a.txt"),
    bash("touch b.txt"),
    { name: "Read", input: { file_path: outside } },
    { name: "Read", input: { file_path: "secret.txt" } },
  ]);

  expect(verdicts).toEqual(["denied", "denied", "denied", "denied"]);
  expect(ended.stderr).toContain("permissions.allow, permissions.additionalDirectories ignored");
  expect(ended.stderr).toContain(`run: keelson trust ${home.project}`);
});

test("a folder nobody trusted may not choose a wider mode, nor the model's address", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", {
    permissions: { defaultMode: "bypassPermissions" },
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", NODE_OPTIONS: "--require=./x.js" },
  });
  const { verdicts, ended } = await attempt(home, [write("a.txt")], [], { IS_SANDBOX: "1" });
  expect(verdicts).toEqual(["denied"]);
  expect(messagesOf(ended, "system/init")[0].permissionMode).toBe("default");
  for (const name of ["bypassPermissions", "ANTHROPIC_BASE_URL", "NODE_OPTIONS"]) expect(ended.stderr).toContain(name);
});

test("a local settings file that nobody vouches for allows nothing, tracked by git or not", async () => {
  using home = temporaryHome({ git: true });
  home.write(".claude/settings.local.json", { permissions: { allow: ["Write"] } });
  const unpacked = await attempt(home, [write("a.txt")]);
  expect(unpacked.verdicts).toEqual(["denied"]);
  expect(unpacked.ended.stderr).toContain(
    'settings.local.json: permissions.allow "Write" ignored: you have not accepted',
  );
  expect(unpacked.ended.stderr).toContain(`run: keelson trust ${home.project}`);

  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env });
  expect(git("add", "-f", ".claude").success && git("commit", "-qm", "x").success).toBe(true);
  expect((await attempt(home, [write("a.txt")])).verdicts).toEqual(["denied"]);
});

test("a settings file that does not parse is named, and the rest goes on", async () => {
  using home = temporaryHome();
  home.settings({});
  writeFileSync(join(home.configDir, "settings.json"), '{"permissions": {');
  const { ended, verdicts } = await attempt(home, [write("a.txt")]);
  expect(verdicts).toEqual(["denied"]);
  expect(ended.stderr).toContain(join(home.configDir, "settings.json"));
});

test("--add-dir is a folder to work in like the first", async () => {
  using home = temporaryHome();
  const other = join(home.root, "other");
  const beside = join(home.root, "other-evil");
  for (const folder of [other, beside]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), "hello");
  }
  const { verdicts } = await attempt(
    home,
    [
      { name: "Read", input: { file_path: join(other, "a.txt") } },
      write(join(other, "b.txt")),
      { name: "Read", input: { file_path: join(beside, "a.txt") } },
      bash(`cd ${other} && pwd`),
      bash("pwd"),
    ],
    ["--add-dir", other, "--permission-mode", "acceptEdits"],
  );
  expect(verdicts).toEqual(["ran", "ran", "denied", "ran", "ran"]);
});

test("a link is judged by where it leads", async () => {
  using home = temporaryHome();
  const secret = home.write("~/secret.txt", "hush");
  Bun.spawnSync(["ln", "-s", secret, join(home.project, "innocent.txt")]);
  const { verdicts, told } = await attempt(
    home,
    [{ name: "Read", input: { file_path: "innocent.txt" } }, bash("cat innocent.txt"), write("innocent.txt")],
    ["--permission-mode", "acceptEdits"],
  );
  // A file that exists must be read first, so the last one does not even come to the gate.
  expect(verdicts).toEqual(["denied", "denied", "failed"]);
  expect(JSON.stringify(told)).not.toContain("hush");
});

test("a command that cannot be understood is not run", async () => {
  using home = temporaryHome();
  const { verdicts } = await attempt(
    home,
    [bash("touch $(echo a.txt"), bash("eval 'touch a.txt'"), bash("touch a.txt; $CMD")],
    ["--allowedTools", "Bash(touch *)"],
  );
  expect(verdicts).toEqual(["denied", "denied", "denied"]);
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
});

type Verdict = "ran" | "denied" | "failed";

/** Lets the model make these calls in one reply, and tells what became of each. */
async function attempt(
  home: TemporaryHome,
  calls: readonly ScriptedCall[],
  flags: readonly string[] = [],
  env: Record<string, string> = {},
) {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env });
  const results = told(model.requests[1]!).slice(0, calls.length);
  const denied = new Set(resultOf(ended).permission_denials.map(({ tool_use_id }: any) => tool_use_id));
  const verdicts = results.map(({ tool_use_id, is_error }): Verdict => {
    return denied.has(tool_use_id) ? "denied" : is_error ? "failed" : "ran";
  });
  return { ended, told: results, verdicts };
}

function trust(home: TemporaryHome): void {
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
}
