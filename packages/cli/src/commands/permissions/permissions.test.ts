// The permission commands with fake I/O and settings on disk.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIO } from "../../process/process-io.ts";
import { withFakeIO, put, removed, scratch } from "../command-io.test-support.ts";
import { runPermissions } from "./permissions.ts";

let root: string;

beforeEach(() => {
  root = scratch("permissions");
  write("project/.claude/settings.json", TEAM);
  write("home/.claude/settings.json", `{ "permissions": { "allow": ["Bash(git *)"] } }\n`);
});
afterEach(() => removed(root));

const TEAM = `{
  "permissions": {
    // what no one may do
    "deny": [
      "Bash(rm *)",
      "Read(.env)"
    ],
    "ask": ["Bash(git push *)"]
  }
}
`;

const write = (path: string, text: string) => put(root, path, text);

const permissions = (argv: readonly string[], more: Partial<ProcessIO> = {}) =>
  withFakeIO(root, (io) => runPermissions(argv, io), more);

test("explains a command part by part, with the file and line of each rule", async () => {
  expect(await permissions(["explain", "Bash(git status && git push && rm x)"])).toEqual({
    code: 0,
    err: [],
    out: `✗ Denied (Bash, default mode)
  deny rule Bash(rm *)  .claude/settings.json:5

  git status && git push && rm x
  ├─ ✓ git status  it is read-only
  ├─ ? git push    ask rule Bash(git push *)  .claude/settings.json:8
  └─ ✗ rm x        deny rule Bash(rm *)  .claude/settings.json:5

Checks: hook refusal → deny rules ✗

An allow rule cannot override a deny rule. To allow it, change Bash(rm *) in .claude/settings.json:5.
`,
  });
});

test("says what would allow a call, keeping the rules that are there", async () => {
  write("project/.claude/settings.local.json", `{ "permissions": { "allow": ["Bash(make)"] } }`);
  const accepted = { projects: { [join(root, "project")]: { allowedTools: ["Bash(make)"] } } };
  write("home/.claude.json", JSON.stringify(accepted));
  expect(await permissions(["explain", "Bash(npm test > log)"])).toEqual({
    code: 0,
    err: [],
    out: `? Requires approval; denied when no one can approve it (Bash, default mode)

  npm test > log
  └─ ? npm test  no rule allows it
     └─ ? > log  writes log

Checks: hook refusal → deny rules → ask rules → safety → hook answer → mode → allow rules → reading → question ?

To allow it:
  Bash(npm test), Edit(log)
     keelson config set permissions.allow '["Bash(make)", "Bash(npm test)", "Edit(log)"]' --scope local
`,
  });
});

test("explains a tool with JSON input, by both names of the file", async () => {
  symlinkSync("/etc/hostname", join(root, "project/link"));
  const { code, out } = await permissions(["explain", "Read", '{"file_path": "link"}', "--exit-code"]);
  expect({ code, lines: out.split("\n").slice(0, 6) }).toEqual({
    code: 1,
    lines: [
      "? Requires approval; denied when no one can approve it (Read, default mode)",
      `  Permission to read ${root}/project/link was not granted.`,
      "",
      "  reads      link",
      "  real path  /etc/hostname",
      "  where      outside the working directories",
    ],
  });
});

test.each([
  [["Bash(git log)"], 0],
  [["Bash(git push)"], 1],
  [["Bash(rm x)"], 2],
  [["--command", "cat .env"], 2],
  [["Edit(src/a.ts)"], 1],
  [["Edit(src/a.ts)", "--mode", "acceptEdits"], 0],
  [["Edit(src/a.ts)", "--mode", "dontAsk"], 2],
  [["Bash(npm test)", "--allowedTools", "Bash(npm *)"], 0],
  [["Bash(npm test)", "--settings", '{"permissions":{"allow":["Bash(npm test)"]}}'], 0],
  [["Bash(git commit -m x)", "--setting-sources", "project"], 1],
  [["mcp__server__tool"], 1],
  [['TodoWrite {"todos": []}'], 0],
])("with --exit-code the verdict is the exit code: %p %p", async (words, code) => {
  expect((await permissions(["explain", ...words, "--exit-code"])).code).toBe(code);
});

test.each([
  ["dontAsk", "✗ Denied: it requires approval, and dontAsk mode does not ask for approval (Bash, dontAsk mode)"],
  ["auto", "? Decided by the classifier; requires approval if the classifier is unsure (Bash, auto mode)"],
])("in %s mode it says who answers", async (mode, first) => {
  const { out } = await permissions(["explain", "--command", "make", "--mode", mode]);
  expect(out.split("\n")[0]).toBe(first);
});

test("--cwd judges from another folder, with its settings", async () => {
  mkdirSync(join(root, "other"));
  const { code } = await permissions(["explain", "Bash(rm x)", "--cwd", "../other", "--exit-code"]);
  expect(code).toBe(1);
});

test("what would play with a terminal, or cannot be seen, is written out", async () => {
  const { out } = await permissions(["explain", "--command", "echo \u001b[2J\u202e > a\u200bb\u0007"]);
  expect(out).not.toMatch(/[\u001b\u202e\u200b\u0007]/);
  expect(out).toContain("echo \\u{1b}[2J\\u{202e}");
});

test("--json holds everything", async () => {
  const { out } = await permissions(["explain", "--command", "git push", "--json"]);
  const { verdict, by, rule, input, command, checks } = JSON.parse(out);
  expect({ verdict, by, rule, input, words: command.parts[0].words.map((word: any) => word.value) }).toEqual({
    verdict: "ask",
    by: "rule",
    rule: {
      behavior: "ask",
      tool: "Bash",
      content: "git push *",
      source: "projectSettings",
      base: join(root, "project"),
      file: join(root, "project/.claude/settings.json"),
      line: 8,
      text: "Bash(git push *)",
    },
    input: { command: "git push" },
    words: ["git", "push"],
  });
  expect(checks.find((check: any) => check.outcome === "decided")).toEqual({ name: "ask rules", outcome: "decided" });
});

test("colours are for terminals, and not for those who do not want them", async () => {
  const terminal = { stdin: true, stdout: true };
  const coloured = await permissions(["explain", "Bash(rm x)"], { terminal });
  const plain = await permissions(["explain", "Bash(rm x)"], { terminal, env: { NO_COLOR: "1" } });
  expect(coloured.out).toContain("\u001b[31m✗ Denied\u001b[0m");
  expect(Bun.stripANSI(coloured.out)).toBe(plain.out);
  expect(plain.out).not.toContain("\u001b");
});

test.each([
  [["explain"], "error: usage: keelson permissions explain 'Bash(git push)'"],
  [
    ["explain", "git push"],
    `error: "git push" is not a tool call; write 'Bash(git push)', or a tool name and its input as JSON, or use --command for a shell command`,
  ],
  [["explain", "Bsh(x)"], 'error: unknown tool "Bsh"; did you mean "Bash"?'],
  [
    ["explain", "mcp__a__b(x)"],
    `error: mcp__a__b has no short form; write its input as JSON: mcp__a__b '{"field": "value"}'`,
  ],
  [["explain", "Bsh", "{}"], 'error: unknown tool "Bsh"; did you mean "Bash"?'],
  [
    ["explain", "Read", "{"],
    `error: "Read {" is not a tool call; write 'Bash(git push)', or a tool name and its input as JSON`,
  ],
  [["explain", "Read", "{x}"], "error: the input of Read is not valid JSON: Expected '}'"],
  [
    ["explain", "Read", "{}"],
    "error: invalid input: Read failed due to the following issue:\nThe required parameter `file_path` is missing",
  ],
  [["explain", "Read(x)", "--command", "ls"], "error: a call and --command cannot be used together"],
  [["tets"], 'error: unknown command "permissions tets"; did you mean "permissions test"?'],
  [["test"], "error: usage: keelson permissions test <file>"],
  [["list", "x"], "error: usage: keelson permissions list"],
  [["list", "--jsn"], "error: unknown option '--jsn' (did you mean --json?)"],
])("invalid arguments are an error: %p", async (argv, message) => {
  expect(await permissions(argv)).toEqual({ code: 1, out: "", err: [message] });
});

test("lists all rules, strictest first, and says what is odd about them", async () => {
  write(
    "home/.claude/settings.json",
    `{ "permissions": { "allow": ["Bash(git *)", "Write(src/**)", "Bash(rm -r *)", "Raed"] } }`,
  );
  expect(await permissions(["list", "--disallowedTools", "Bash(curl *)"])).toEqual({
    code: 0,
    err: [],
    out: `deny   Bash(rm *)        .claude/settings.json:5    project settings
deny   Read(.env)        .claude/settings.json:6    project settings
deny   Bash(curl *)      --disallowedTools          command line
ask    Bash(git push *)  .claude/settings.json:8    project settings
allow  Bash(git *)       ~/.claude/settings.json:1  user settings
allow  Write(src/**)     ~/.claude/settings.json:1  user settings
         ! never matches: files are allowed with Edit(src/**)
allow  Bash(rm -r *)     ~/.claude/settings.json:1  user settings
         ! has no effect because of the deny rule Bash(rm *) (.claude/settings.json:5)
allow  Raed              ~/.claude/settings.json:1  user settings
         ! no tool is called Raed; did you mean "Read"?

8 rules, default mode, this folder is not trusted
`,
  });
});

test("rules that do not count because the folder is not trusted are named in a warning", async () => {
  write("project/.claude/settings.json", `{ "permissions": { "allow": ["Bash(make)"] } }`);
  const { code, out, err } = await permissions(["list", "--setting-sources", "project"]);
  expect({ code, out }).toEqual({ code: 0, out: "0 rules, default mode, this folder is not trusted\n" });
  expect(err).toEqual([expect.stringContaining("permissions.allow ignored: this folder is not trusted")]);
  expect(JSON.parse((await permissions(["list", "--json"])).out)).toMatchObject({ trusted: false, mode: "default" });
});

test("a table of calls that are as expected ends with 0", async () => {
  write(
    "project/calls",
    `# what we count on
allow  Bash(git log --oneline)
ask    Bash(git push origin main)
deny   Bash(echo ok && rm -rf build)
deny   Read {"file_path": ".env"}

mode: acceptEdits
allow  Edit(src/a.ts)
mode: dontAsk
deny   Bash(make)
`,
  );
  expect(await permissions(["test", "calls"])).toEqual({ code: 0, err: [], out: "✓ 6 calls, all as expected\n" });
});

test("a table with a surprise ends with 1 and names line, verdict and rule", async () => {
  write("project/calls", "allow Bash(rm x)\nallow Bash(git log)\nmode: plan\nallow Edit(a)\n");
  expect(await permissions(["test", "calls"])).toEqual({
    code: 1,
    err: [],
    out: `✗ calls:1  Bash(rm x)
    expected allow, got deny: deny rule Bash(rm *)  .claude/settings.json:5
✗ calls:4  Edit(a)
    expected allow in plan mode, got ask: Cannot write to ${root}/project/a while in plan mode.
2 of 3 calls not as expected
`,
  });
});

test("a table may be JSON with comments, and the report too", async () => {
  write(
    "project/calls.jsonc",
    `// ours
{
  "mode": "default",
  "calls": [
    { "call": "Bash(git log)", "expect": "allow" },
    { "tool": "Bash", "input": { "command": "rm x\\nls" }, "expect": "deny", "mode": "bypassPermissions" },
    { "call": "Read(.env)", "expect": "ask" }, // wrong on purpose
  ],
}`,
  );
  const { code, out } = await permissions(["test", "calls.jsonc", "--json"]);
  const { passed, failed, results } = JSON.parse(out);
  expect({
    code,
    passed,
    failed,
    results: results.map(({ where, verdict, ok }: any) => ({ where, verdict, ok })),
  }).toEqual({
    code: 1,
    passed: 2,
    failed: 1,
    results: [
      { where: "calls.jsonc[0]", verdict: "allow", ok: true },
      { where: "calls.jsonc[1]", verdict: "deny", ok: true },
      { where: "calls.jsonc[2]", verdict: "deny", ok: false },
    ],
  });
});

test.each([
  ["", "error: calls contains no calls"],
  ["allow\n", 'error: calls:1: expected a verdict and a call, such as "allow Bash(npm test)"'],
  ["# x\nalow Bash(x)\n", 'error: calls:2: invalid verdict "alow"; use allow, ask or deny'],
  ["mode: fast\n", 'error: calls:1: invalid permission mode "fast"'],
  [
    "allow git push\n",
    `error: calls:1: "git push" is not a tool call; write 'Bash(git push)', or a tool name and its input as JSON`,
  ],
  ['{ "call": "x" }', 'error: calls must be a list of calls, or an object with a list "calls"'],
  ['[{ "call": "Bash(x)" }]', 'error: calls[0]: invalid verdict "undefined"; use allow, ask or deny'],
  ['[{ "tool": "Bash", "expect": "ask" }]', 'error: calls[0]: expected "call", or "tool" and "input"'],
])("an invalid table is refused (%#)", async (text, message) => {
  write("project/calls", text);
  expect(await permissions(["test", "calls"])).toEqual({ code: 1, out: "", err: [message] });
});

test("a call with invalid input is a failure, not a pass", async () => {
  write("project/calls", 'deny Read {"offset": 3}\n');
  const { code, out } = await permissions(["test", "calls"]);
  expect({ code, first: out.split("\n")[1] }).toEqual({
    code: 1,
    first: expect.stringContaining("expected deny, is invalid: Read failed due to the following issue:"),
  });
});

test("without words, and with --help, it says how it is used", async () => {
  const asked = await permissions(["explain", "--help"]);
  expect(asked).toEqual(await permissions([]));
  expect({ code: asked.code, first: asked.out.split("\n")[0] }).toEqual({
    code: 0,
    first: "Usage: keelson permissions <command> [options]",
  });
});
