// The hook commands with fake I/O and settings on disk.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIO } from "../../process/process-io.ts";
import { withFakeIO, put, removed, scratch } from "../command-io.test-support.ts";
import { runHooks } from "./hooks.ts";

let root: string;

beforeEach(() => {
  root = scratch("hooks-commands");
});
afterEach(() => removed(root));

const write = (path: string, content: unknown) => put(root, path, content);
const settings = (hooks: object, more: object = {}) => write("project/.claude/settings.json", { hooks, ...more });
const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });

const hooks = (argv: readonly string[], more: Partial<ProcessIO> = {}) =>
  withFakeIO(root, (io) => runHooks(argv, io), { env: { PATH: process.env["PATH"] }, ...more });

test("list shows every hook by event, where it is defined, and why it does not run", async () => {
  settings({
    PreToolUse: [{ matcher: "Bash", hooks: [command("./guard.sh", { if: "Bash(git *)" })] }],
    SessionStart: [{ hooks: [{ type: "http", url: "https://hooks.example/start" }] }],
    Stop: [{ matcher: "x", hooks: [command("./check.sh")] }],
  });
  write("home/.claude/settings.json", {
    hooks: { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "Is it safe?" }] }] },
  });
  expect(await hooks(["list"])).toEqual({
    code: 0,
    err: [],
    out: `PreToolUse  before tool execution
  ✓ *                    Is it safe?                  prompt   ~/.claude/settings.json:6  user settings
  ✓ Bash if Bash(git *)  ./guard.sh                   command  .claude/settings.json:7    project settings

SessionStart  when a session starts, resumes, or is cleared or compacted
  ✗ *                    https://hooks.example/start  http     .claude/settings.json:18   project settings
      ! SessionStart does not run hooks of type "http"; use command, mcp_tool

Stop  before the agent stops
  ✓                      ./check.sh                   command  .claude/settings.json:29   project settings
      ! Stop ignores matchers; this hook always runs

4 hooks, 1 not running, this folder is not trusted
`,
  });
});

test("list says nothing about a matcher for everything, also where matchers have no effect", async () => {
  settings({
    Stop: [{ matcher: "*", hooks: [command("./check.sh")] }],
    UserPromptSubmit: [{ matcher: "", hooks: [] }],
  });
  expect((await hooks(["list"])).out).not.toContain("!");
});

test("list says what turned a hook off, in --json too", async () => {
  settings({ Stop: [{ hooks: [command("theirs")] }] });
  write("managed/managed-settings.json", {
    allowManagedHooksOnly: true,
    hooks: { Stop: [{ hooks: [command("ours", { timeout: 5 })] }] },
  });
  const { out } = await hooks(["list"]);
  expect(out).toContain(
    "      ! Managed settings allow only managed hooks (allowManagedHooksOnly)\n\n2 hooks, 1 not running",
  );
  const shown = { event: "Stop", name: expect.any(String), line: expect.any(Number) };
  expect(JSON.parse((await hooks(["list", "--json"])).out)).toEqual({
    trusted: false,
    hooks: [
      {
        ...shown,
        handler: command("ours", { timeout: 5 }),
        source: "policySettings",
        file: join(root, "managed/managed-settings.json"),
        runs: true,
      },
      {
        ...shown,
        handler: command("theirs"),
        source: "projectSettings",
        file: join(root, "project/.claude/settings.json"),
        runs: false,
        why: "Managed settings allow only managed hooks (allowManagedHooksOnly)",
      },
    ],
    warnings: [],
  });
});

test("list takes event names, and warns about invalid hooks", async () => {
  settings({ Stop: [{ hooks: [command("a")] }], SessionEnd: [{ hooks: [command("b"), { type: "shell" }] }] });
  const { out, err } = await hooks(["list", "SessionEnd"]);
  expect(out).toBe(
    "SessionEnd  when a session ends\n  ✓ *  b  command  .claude/settings.json:16  project settings\n\n" +
      "1 hook, this folder is not trusted\n",
  );
  expect(err).toEqual([
    `warning: ${root}/project/.claude/settings.json: hooks.SessionEnd[0].hooks[1].type should be one of command, http, ` +
      'mcp_tool, prompt, agent, not "shell"; this hook is ignored',
  ]);
});

test("test runs matching hooks in a copy, and shows each reply, the result and what the model sees", async () => {
  settings({
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          command("touch made; pwd >&2; exit 2", { if: "Bash(git push *)" }),
          command(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"it is Monday"}}'`),
          { type: "agent", prompt: "Look closely" },
        ],
      },
      { matcher: "Edit", hooks: [command("true")] },
    ],
  });
  const { code, out, err } = await hooks(["test", "PreToolUse", "--input", '{"command": "git push -f"}']);
  expect({ code, err, made: existsSync(join(root, "project/made")) }).toEqual({ code: 0, err: [], made: false });
  expect(out.replaceAll(/\d+ ms/g, "N ms")).toBe(`PreToolUse:Bash  3 hooks match, 1 of this event does not

✗ touch made; pwd >&2; exit 2  .claude/settings.json  blocks  exit 2, N ms
    stderr   ${root}/project

· echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"…  .claude/settings.json  adds context  exit 0, N ms
    stdout   {"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"it is Monday"}}

· Look closely  .claude/settings.json  not run: it would call a model or a server

– true  .claude/settings.json  Its matcher Edit does not match Bash

Result:
  The call is refused

The model would see:
  tool result (error):
    PreToolUse:Bash hook error: [touch made; pwd >&2; exit 2]: ${root}/project
  reminder:
    PreToolUse:Bash hook additional context: it is Monday

Ran in a copy of 1 file
`);
});

test("test says why a hook is skipped: its matcher, its if, a duplicate, or turned off", async () => {
  settings({
    PreToolUse: [
      { matcher: "Read", hooks: [command("a")] },
      { hooks: [command("b", { if: "Bash(rm *)" }), command("true"), command("true")] },
    ],
  });
  write("home/.claude/settings.json", { hooks: { PreToolUse: [{ hooks: [command("off")] }] } });
  const { out } = await hooks(["test", "PreToolUse", "--json", "--settings", "{}"]);
  const { passed, ran, outcome, input } = JSON.parse(out);
  expect({
    passed: passed.map(({ registration, why }: any) => [registration.handler.command, why]),
    ran: ran.length,
  }).toEqual({
    ran: 2,
    passed: [
      ["a", "Its matcher Read does not match Bash"],
      ["b", 'Its "if" rule Bash(rm *) does not match this call'],
      ["true", "It duplicates another hook; identical hooks run once"],
    ],
  });
  expect(outcome).toEqual({ reasons: [], context: [] });
  expect(input).toMatchObject({
    cwd: join(root, "project"),
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "echo hello" },
  });
});

test("test leads paths of the input into the copy, and back again", async () => {
  write("project/a.txt", "before\n");
  settings({
    PostToolUse: [
      { hooks: [command(`echo after > "$CLAUDE_PROJECT_DIR/a.txt"; cat "$(cat | grep -o '/[^"]*a.txt')"`)] },
    ],
  });
  write("input.json", { file_path: join(root, "project/a.txt"), old_string: "x", new_string: "y" });
  const { out } = await hooks(["test", "PostToolUse", "--tool", "Edit", "--input", "@../input.json", "--json"]);
  const { ran, input } = JSON.parse(out);
  expect({ said: ran[0].run.stdout, path: input.tool_input.file_path }).toEqual({
    said: "after\n",
    path: join(root, "project/a.txt"),
  });
  expect(await Bun.file(join(root, "project/a.txt")).text()).toBe("before\n");
});

test("test waits for background hooks, and shows that they cannot block", async () => {
  settings({
    Stop: [{ hooks: [command(`echo '{"systemMessage":"done later"}'; exit 0`, { async: true }), command("exit 3")] }],
  });
  const { out } = await hooks(["test", "Stop"]);
  expect(out.replaceAll(/\d+ ms/g, "N ms"))
    .toContain(`  .claude/settings.json  runs in the background, output reaches the model later  exit 0, N ms
    stdout   {"systemMessage":"done later"}
    later    done later

? exit 3  .claude/settings.json  fails without blocking  exit 3, N ms
    problem  `);
});

const ANY = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };

test.each([
  ["UserPromptSubmit", [], { promt: "Hello" }, 'UserPromptSubmit has no field "promt"; did you mean "prompt"?'],
  ["PreToolUse", [], { comand: "ls" }, 'Bash has no field "comand"; did you mean "command"?'],
  [
    "PreToolUse",
    ["--tool", "Edit"],
    { file: "a" },
    'Edit has no field "file"; its fields are file_path, old_string, new_string, replace_all',
  ],
  [
    "PreToolUse",
    [],
    { tool_name: "Bash", tool_inputs: {} },
    'PreToolUse has no field "tool_inputs"; did you mean "tool_input"?',
  ],
  [
    "PostToolUse",
    ["--tool", "Glob"],
    { tool_input: { zzzzzzzz: 1 } },
    'Glob has no field "zzzzzzzz"; its fields are pattern, path',
  ],
])("test %s %p --input %p warns about the unknown field", async (event, flags, input, warning) => {
  put(root, "project/.claude/settings.json", ANY);
  const argv = ["test", event, ...flags, "--input", JSON.stringify(input)];
  const { code, err } = await hooks(argv);
  expect({ code, err }).toEqual({ code: 0, err: [`warning: --input: ${warning}`] });
  const { warnings } = JSON.parse((await hooks([...argv, "--json"])).out);
  expect(warnings).toEqual([`--input: ${warning}`]);
});

test("test --tool warns about an unknown tool", async () => {
  put(root, "project/.claude/settings.json", ANY);
  const warning = 'warning: --tool: unknown tool "Bsh"; did you mean "Bash"?';
  expect(await hooks(["test", "PreToolUse", "--tool", "Bsh"])).toMatchObject({ code: 0, err: [warning] });
  expect(await hooks(["test", "PreToolUse", "--tool", "mcp__a__b"])).toMatchObject({ code: 0, err: [] });
});

test.each([
  ["Stop", { stop_hook_active: true, session_id: "s", permission_mode: "plan" }],
  ["PreToolUse", { tool_name: "mcp__a__b", tool_input: { anything: 1 } }],
  ["PreToolUse", { command: "ls", timeout: 5 }],
])("test %s --input %p has only known fields", async (event, input) => {
  put(root, "project/.claude/settings.json", ANY);
  expect(await hooks(["test", event, "--input", JSON.stringify(input)])).toMatchObject({ code: 0, err: [] });
});

test.each([
  [["nope"], 'error: unknown command "hooks nope"; use list, test or trace'],
  [["test"], "error: usage: keelson hooks test <event> [--tool <name>] [--input <json|@file>]"],
  [["test", "PreToolUSe"], 'error: unknown event "PreToolUSe"; did you mean "PreToolUse"?'],
  [["test", "Stop", "--input", "{"], "error: --input is not valid JSON: "],
  [["test", "Stop", "--input", "[]"], "error: --input must be a JSON object"],
  [["test", "Stop", "--input", "@gone.json"], "error: --input: file not found: "],
  [["test", "Stop", "--tool", "Bash"], "error: --tool cannot be used with Stop, which is not about a tool"],
  [["list", "PreToolUSe"], 'error: unknown event "PreToolUSe"; did you mean "PreToolUse"?'],
  [["list", "Stop", "PreToolUse"], "error: usage: keelson hooks list [event]"],
  [["trace"], "error: this folder has no sessions yet"],
  [["trace", "x"], 'error: no session in this folder has the ID or title "x"'],
  [["list", "--settings", "gone.json"], "error: settings file not found: "],
  [["--nope"], "error: unknown option '--nope'"],
])("%p is an error", async (argv, message) => {
  const { code, out, err } = await hooks(argv);
  expect({ code, out, err }).toEqual({ code: 1, out: "", err: [expect.stringContaining(message)] });
});

test("help names the commands and the flags", async () => {
  const { code, out } = await hooks([]);
  expect(code).toBe(0);
  for (const word of ["list", "test <event>", "trace [session]", "--input <json|@file>", "--setting-sources"]) {
    expect(out).toContain(word);
  }
});
