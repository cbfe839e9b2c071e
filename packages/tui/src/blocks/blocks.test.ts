// How the calls of each tool look when they are done.

import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "@keelson/protocol";
import {
  call,
  failure,
  feedOf,
  frameOf,
  labelled,
  plainTheme,
  result,
  system,
  written,
} from "../stream/feed.test-support.ts";
import { elapsed, shortCount } from "./amounts.ts";
import { foldedEnds } from "./fold.ts";
import { renderItem } from "./item.ts";

const patch = [
  {
    oldStart: 3,
    oldLines: 3,
    newStart: 3,
    newLines: 4,
    lines: [" f() {", "-  return 1;", "+  const x = 2;", "+  return x;", " }"],
  },
];

interface Row {
  readonly name: string;
  readonly input?: JsonObject;
  /** What the session says about the call. */
  readonly meta?: JsonObject;
  readonly text?: string;
  readonly output?: Json;
  readonly error?: string;
  readonly rows: readonly string[];
}

const table: readonly Row[] = [
  {
    name: "Edit",
    input: { file_path: "/p/src/a.ts" },
    output: { filePath: "/p/src/a.ts", structuredPatch: patch },
    rows: [
      "● Edit(src/a.ts)",
      "  ⎿  Added 2 lines, removed 1",
      "     3   f() {",
      "     4 -   return 1;",
      "     4 +   const x = 2;",
      "     5 +   return x;",
      "     6   }",
    ],
  },
  {
    name: "Write",
    input: { file_path: "/elsewhere/b.ts", content: "one\ntwo\n" },
    output: { type: "create", filePath: "/elsewhere/b.ts", content: "one\ntwo\n", structuredPatch: [] },
    rows: ["● Write(/elsewhere/b.ts)", "  ⎿  Created with 2 lines", "     1 + one", "     2 + two"],
  },
  {
    name: "Edit",
    input: { file_path: "/p/a.ts" },
    error: "Error: String to replace not found in file.",
    rows: ["● Edit(a.ts)", "  ⎿  String to replace not found in file."],
  },
  {
    name: "Bash",
    input: { command: "npm test", description: "Run the tests" },
    error: "Exit code 1\nFAIL a.test.ts",
    rows: ["● Bash(npm test)  Run the tests", "  ⎿  Exit code 1", "     FAIL a.test.ts"],
  },
  {
    name: "Bash",
    input: { command: "true" },
    output: { stdout: "", stderr: "" },
    rows: ["● Bash(true)", "  ⎿  No output"],
  },
  {
    name: "Bash",
    input: { command: "grep x y" },
    output: { stdout: "", stderr: "", returnCodeInterpretation: "No matches found" },
    rows: ["● Bash(grep x y)", "  ⎿  No matches found"],
  },
  {
    name: "Bash",
    input: { command: "cat <<E\nhi\nE" },
    output: { stdout: "hi", stderr: "" },
    rows: ["● Bash(cat <<E⏎hi⏎E)", "  ⎿  hi"],
  },
  {
    name: "Bash",
    input: { command: "sleep 30" },
    output: { stdout: "one", stderr: "", interrupted: true },
    rows: ["● Bash(sleep 30)", "  ⎿  one", "     Interrupted"],
  },
  {
    name: "WebFetch",
    input: { url: "https://x.example/a", prompt: "?" },
    output: { code: 200, codeText: "OK", bytes: 20_480 },
    rows: ["● WebFetch(https://x.example/a)", "  ⎿  200 OK, 20 KB"],
  },
  {
    name: "ReportFindings",
    meta: { title: "" },
    output: {
      findings: [
        { file: "a.ts", line: 7, summary: "Off by one", outcome: "no_change_needed" },
        { file: "b.ts", summary: "Never closed" },
      ],
    },
    rows: ["● ReportFindings", "  ⎿  a.ts:7 · Off by one (no change needed)", "     b.ts · Never closed"],
  },
  {
    name: "WebSearch",
    input: { query: "keel" },
    meta: { kind: "fetch", title: '"keel"' },
    output: { results: [{ content: [{ title: "Keel", url: "https://a.example" }] }], durationSeconds: 2.3 },
    rows: ['● WebSearch("keel")', "  ⎿  1 result in 2s", "     Keel · https://a.example"],
  },
  {
    name: "Skill",
    input: { skill: "deploy", args: "prod" },
    meta: { title: "deploy prod" },
    output: { success: true, commandName: "deploy" },
    rows: ["● Skill(deploy prod)", "  ⎿  Loaded"],
  },
  {
    name: "AskUserQuestion",
    meta: { display_name: "Question", title: "" },
    output: { answers: { "Which one?": "This" } },
    rows: ["● Question", "  ⎿  Which one? → This"],
  },
  {
    name: "ExitPlanMode",
    meta: { display_name: "Plan", kind: "switch_mode", title: "" },
    input: { plan: "1. Do it" },
    rows: ["● Plan", "  ⎿  Plan approved", "     1. Do it"],
  },
  {
    name: "mcp__git_hub__list_issues",
    input: { repo: "r", labels: ["a"] },
    text: "none",
    rows: ['● git_hub: list_issues(repo: "r", labels: ["a"])  MCP', "  ⎿  none"],
  },
  {
    name: "ToolOfTomorrow",
    input: { alpha: 1, beta: { c: null } },
    text: "done",
    rows: ['● ToolOfTomorrow(alpha: 1, beta: {"c":null})', "  ⎿  done"],
  },
  {
    name: "Bash",
    input: { command: "rm x" },
    error: "The user doesn't want to proceed with this tool use. The tool use was rejected",
    rows: ["● Bash(rm x)", "  ⎿  You said no"],
  },
  {
    name: "AskUserQuestion",
    meta: { display_name: "Question", title: "" },
    input: { questions: [{ question: "Which one?" }, { question: "And when?" }] },
    error: "The user doesn't want to proceed with this tool use. The tool use was rejected",
    rows: ["● Question", "  ⎿  You did not answer: Which one? And when?"],
  },
  {
    name: "ExitPlanMode",
    meta: { display_name: "Plan", kind: "switch_mode", title: "" },
    input: { plan: "1. Do it" },
    error: "The user doesn't want to proceed with this tool use. The tool use was rejected",
    rows: ["● Plan", "  ⎿  You did not approve the plan"],
  },
];

describe("a call that is done", () => {
  for (const { name, input = {}, meta, text = "ok", output, error, rows } of table) {
    test(`${name} ${JSON.stringify(input)}`, () => {
      const done = error === undefined ? result("a", text, output) : failure("a", error);
      const made = meta === undefined ? call("a", name, input) : labelled("a", name, input, meta);
      expect(written([made, done])).toEqual([...rows]);
    });
  }
});

test("a denial says why", () => {
  expect(
    written([
      call("a", "Bash", { command: "rm x" }),
      system("permission_denied", { tool_use_id: "a", decision_reason: 'rule "Bash(rm *)"', message: "m" }),
      failure("a", "Permission denied"),
    ]),
  ).toEqual(["● Bash(rm x)", '  ⎿  Denied: rule "Bash(rm *)"']);
});

test("a server may have nicer names for itself and its tools", () => {
  const named = {
    ...call("a", "mcp__gh__ls", {}),
    tool_use_meta: [{ id: "a", display_name: "List", server_display_name: "GitHub", tool_name: "ls" }],
  };
  expect(written([named, result("a", "x")])[0]).toBe("● GitHub: List  MCP");
});

test("a viewer gets everything", () => {
  const stdout = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");
  const feed = feedOf();
  feed.take(call("a", "Bash", { command: "one\ntwo" }), 10_000);
  feed.take(result("a", stdout, { stdout, stderr: "" }), 10_000);
  expect(feed.finished(frameOf())).toHaveLength(4);
  const look = { columns: 80, theme: plainTheme, now: 0, cwd: "/p", whole: true, key: () => "" };
  const rows = feed.past.items.flatMap((item) => renderItem(item, look));
  expect(rows).toEqual([
    "● Bash(one",
    "  two)",
    "  ⎿  line 0",
    ...Array.from({ length: 8 }, (_, i) => `     line ${i + 1}`),
  ]);
});

test("a picture is below the command that asked for it", () => {
  const feed = feedOf();
  feed.add({ kind: "prompt", as: "command", text: "/context", images: 0 });
  feed.add({ kind: "picture", of: "context", data: { totalTokens: 5, maxTokens: 10, categories: [], model: "m" } });
  expect(feed.finished(frameOf()).slice(0, 4)).toEqual([
    "❯ /context",
    "  ⎿  Context",
    "     5 of 10 tokens (50%)",
    "     m",
  ]);
});

test("amounts are short", () => {
  expect([0, 999, 1_000, 1_250, 99_960, 123_456, 999_949, 2_500_000].map(shortCount)).toEqual([
    "0",
    "999",
    "1k",
    "1.3k",
    "100k",
    "123k",
    "1m",
    "2.5m",
  ]);
  expect([0, 59_999, 60_000, 3_599_000, 3_600_000].map(elapsed)).toEqual(["0s", "59s", "1m 00s", "59m 59s", "1h 00m"]);
});

test("of a line that was written again and again its last text is shown, in time that grows with its length only", () => {
  const look = { theme: plainTheme, whole: true } as unknown as Parameters<typeof foldedEnds>[2];
  const shown = (text: string) => foldedEnds(text, 80, look, { head: 2, tail: 2 });
  expect(shown("10 %\r50 %\r100 %\r\ndone\r\n\rlast\r\r")).toEqual(["100 %", "done", "last"]);
  // Each character looked at for each other would take minutes.
  expect(shown(`a\rb\n${"x".repeat(1_000_000)}`).length).toBe(1 + Math.ceil(1_000_000 / 80));
});
