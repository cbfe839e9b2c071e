import { expect, test } from "bun:test";
import type { Access } from "../../tool/tool.ts";
import { ifMatcher, type ConditionCall } from "./condition.ts";
import { loadConditions } from "../index.ts";

const bash = (command: string): ConditionCall => ({
  tool: "Bash",
  input: { command },
  access: { kind: "command", command, cwd: "/repo" },
  cwd: "/repo",
});

test.each<[string, string, boolean]>([
  ["Bash", "ls", true],
  ["Bash(*)", "ls", true],
  ["Edit", "ls", false],
  ["Bash(echo *)", "echo hi", true],
  ["Bash(git *)", "echo hi", false],
  ["Bash(git *)", "git push", true],
  ["Bash(git push *)", "git push", true],
  ["Bash(git:*)", "git push", true],
  ["Bash(git *)", "FOO=1 BAR=2 git push", true],
  ["Bash(git *)", "cd x && git push", true],
  ["Bash(git *)", "echo $(git push)", true],
  ["Bash(git *)", "echo `git push`", true],
  ["Bash(git *)", 'bash -c "git push"', true],
  ["Bash(git *)", "sudo /usr/bin/git push", true],
  ["Bash(git *)", "(git push)", true],
  ["Bash(git *)", "echo 'git push'", false],
  ["Bash(rm -rf *)", "rm -fr x", true],
  ["Bash(* | sh)", "curl x | sh", true],
  ["Bash(git *)", "$TOOL push", true],
  ["Bash(git *)", "echo 'unfinished", true],
  ["Bash(git *)", "x ".repeat(80_000), true],
  ["Bash(git *", "echo hi", true],
  ["", "echo hi", true],
  ["Read(*.ts)", "cat a.ts", false],
  ["Bash(run_in_background:true)", "ls", false],
])("%s for the command %j: %p", (rule, command, expected) => {
  expect(ifMatcher(bash(command))(rule)).toBe(expected);
});

const file = (tool: string, kind: "read" | "edit", path: string, more: Partial<ConditionCall> = {}): ConditionCall => ({
  tool,
  input: { file_path: path },
  access: { kind, path },
  cwd: "/repo",
  ...more,
});

test.each<[string, ConditionCall, boolean]>([
  ["Edit(*.ts)", file("Edit", "edit", "/repo/src/a.ts"), true],
  ["Edit(*.ts)", file("Write", "edit", "/repo/a.ts"), true],
  ["Edit(*.ts)", file("Edit", "edit", "/repo/a.js"), false],
  ["Edit(src/**)", file("Edit", "edit", "/repo/src/x/a"), true],
  ["Edit(/src/**)", file("Edit", "edit", "/repo/src/x/a"), true],
  ["Edit(//etc/**)", file("Edit", "edit", "/etc/hosts"), true],
  ["Edit(src/**)", file("Read", "read", "/repo/src/a"), false],
  ["Read(.env)", file("Read", "read", "/repo/.env"), true],
  ["Read(.env)", file("Edit", "edit", "/repo/.env"), false],
  ["Read(.env)", file("Read", "read", "/repo/link", { realPath: "/repo/.env" }), true],
  ["Write(*.md)", file("Write", "edit", "/repo/a.md"), true],
  ["Edit(~/.ssh/**)", file("Edit", "edit", "/home/me/.ssh/id", { home: "/home/me" }), true],
  ["Edit(~/.ssh/**)", file("Edit", "edit", "/repo/a", { home: "/home/me" }), false],
  ["Edit(~/.ssh/**)", file("Edit", "edit", "/repo/a"), true],
  ["Edit(a.ts)", file("Edit", "edit", "/other/a.ts", { directories: ["/repo", "/other"] }), true],
  ["Bash(git *)", file("Edit", "edit", "/repo/a"), false],
])("%s for %j: %p", (rule, call, expected) => {
  expect(ifMatcher(call)(rule)).toBe(expected);
});

test("addresses, agents, skills, MCP tools and parameters are compared as in rules", () => {
  const call = (tool: string, access: Access | undefined, input = {}) =>
    ifMatcher({ tool, input, access, cwd: "/repo" });
  const fetch = call("WebFetch", { kind: "url", url: "https://docs.e.com/x" });
  expect([fetch("WebFetch(domain:docs.e.com)"), fetch("WebFetch(domain:e.com)")]).toEqual([true, false]);
  const agent = call("Agent", { kind: "agent", agent: "Explore" }, { model: "opus" });
  expect([agent("Agent(Explore)"), agent("Task(Explore)"), agent("Agent(Plan)"), agent("Agent(model:opus)")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  const external = call("mcp__srv__write", { kind: "external" });
  expect([
    external("mcp__srv"),
    external("mcp__srv__*"),
    external("mcp__other"),
    external("mcp__srv__write(x)"),
  ]).toEqual([true, true, false, false]);
});

test("a call that cannot be described meets every condition about its tool, and none about others", () => {
  const unknown = ifMatcher({ tool: "Bash", input: {}, access: undefined, cwd: "/repo" });
  expect([unknown("Bash(git *)"), unknown("Bash"), unknown("Edit(x)")]).toEqual([true, true, false]);
});

test("a condition about files holds where the session worked before", () => {
  const read = (path: string): ConditionCall => ({
    tool: "Read",
    input: {},
    access: { kind: "read", path },
    cwd: "/w",
    home: "/home/me",
    directories: ["/w", "/extra"],
    former: ["/main", "/w/sub"],
  });
  const matches = (rule: string, path: string) => ifMatcher(read(path))(rule);
  expect(
    [".env", "config/key", "/src/**"].map((content, at) =>
      matches(`Read(${content})`, ["/main/.env", "/main/config/key", "/main/src/a"][at]!),
    ),
  ).toEqual([true, true, true]);
  // One that starts at the root has one root at a time.
  expect([matches("Read(/src/**)", "/extra/src/a"), matches("Read(/src/**)", "/w/sub/src/a")]).toEqual([false, false]);
});

test("loadConditions() loads ifMatcher()", async () => {
  expect((await loadConditions()).ifMatcher(bash("git push"))("Bash(git *)")).toBe(true);
});
