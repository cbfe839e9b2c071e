// The hook commands in a world of our own: settings on disk, everything printed is seen.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIO } from "../../process-io.ts";
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

test("list shows every hook by event, with its place, and what stands in its way", async () => {
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
      ! Stop has no matchers; it runs every time

4 hooks, 1 of them not running, this folder is not trusted
`,
  });
});

test("list says who switched a hook off, and --json says all of it", async () => {
  settings({ Stop: [{ hooks: [command("theirs")] }] });
  write("managed/managed-settings.json", {
    allowManagedHooksOnly: true,
    hooks: { Stop: [{ hooks: [command("ours", { timeout: 5 })] }] },
  });
  const { out } = await hooks(["list"]);
  expect(out).toContain(
    "      ! Managed settings allow managed hooks only (allowManagedHooksOnly)\n\n2 hooks, 1 of them not running",
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
        why: "Managed settings allow managed hooks only (allowManagedHooksOnly)",
      },
    ],
    warnings: [],
  });
});

test("list takes events to show, and warns of what was written wrongly", async () => {
  settings({ Stop: [{ hooks: [command("a")] }], SessionEnd: [{ hooks: [command("b"), { type: "shell" }] }] });
  const { out, err } = await hooks(["list", "SessionEnd"]);
  expect(out).toBe(
    "SessionEnd  when a session ends\n  ✓ *  b  command  .claude/settings.json:16  project settings\n\n" +
      "1 hook, this folder is not trusted\n",
  );
  expect(err).toEqual([
    `Warning: ${root}/project/.claude/settings.json: hooks.SessionEnd[0].hooks[1].type should be one of command, http, ` +
      'mcp_tool, prompt, agent, not "shell"; this hook is ignored',
  ]);
});

test("test runs what matches in a copy, and shows each answer, what comes of it and what the model sees", async () => {
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

· Look closely  .claude/settings.json  not run: it would ask a model or a server

– true  .claude/settings.json  Its matcher Edit does not match Bash

Together:
  The call is refused

The model would see:
  tool result (error):
    PreToolUse:Bash hook error: [touch made; pwd >&2; exit 2]: ${root}/project
  reminder:
    PreToolUse:Bash hook additional context: it is Monday

Run in a copy of 1 file
`);
});

test("test tells apart what misses a call: matcher, if, a copy of another hook, a hook that is off", async () => {
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

test("test waits for hooks that go on in the background, and says that they decide nothing", async () => {
  settings({
    Stop: [{ hooks: [command(`echo '{"systemMessage":"done later"}'; exit 0`, { async: true }), command("exit 3")] }],
  });
  const { out } = await hooks(["test", "Stop"]);
  expect(out.replaceAll(/\d+ ms/g, "N ms"))
    .toContain(`  .claude/settings.json  runs in the background, tells the model later  exit 0, N ms
    stdout   {"systemMessage":"done later"}
    later    done later

? exit 3  .claude/settings.json  fails, which stops nothing  exit 3, N ms
    problem  `);
});

test.each([
  [["nope"], "error: unknown command 'hooks nope'. Commands are list, test and trace"],
  [["test"], "error: usage: keelson hooks test <event> [--tool <name>] [--input <json|@file>]"],
  [["test", "PreToolUSe"], "error: no event is called 'PreToolUSe'. Did you mean PreToolUse?"],
  [["test", "Stop", "--input", "{"], "error: --input is not valid JSON: "],
  [["test", "Stop", "--input", "[]"], "error: --input must be a JSON object"],
  [["test", "Stop", "--input", "@gone.json"], "error: --input: file not found: "],
  [["test", "Stop", "--tool", "Bash"], "error: Stop is not about a tool; remove --tool"],
  [["trace"], "error: This folder has no sessions yet"],
  [["trace", "x"], 'error: No session in this folder has the ID or title "x"'],
  [["list", "--settings", "gone.json"], "Error: Settings file not found: "],
  [["--nope"], "error: unknown option '--nope'"],
])("%p is refused with a sentence", async (argv, message) => {
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
