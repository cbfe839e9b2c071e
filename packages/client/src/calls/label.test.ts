import { expect, test } from "bun:test";
import type { JsonObject, ToolUseMeta } from "@keelson/protocol";
import { labelOf, callLine, listArguments, relativePath } from "./label.ts";

const guessed: [name: string, input: JsonObject, kind: string, line: string, places?: object[]][] = [
  ["Read", { file_path: "/p/src/a.ts", offset: 3 }, "read", "Read src/a.ts", [{ path: "/p/src/a.ts", line: 3 }]],
  ["Read", { file_path: "b.ts" }, "read", "Read b.ts"],
  ["LS", { path: "/p" }, "read", "LS .", [{ path: "/p" }]],
  ["MultiEdit", { file_path: "/x/a", edits: [] }, "edit", "MultiEdit /x/a", [{ path: "/x/a" }]],
  ["NotebookEdit", { notebook_path: "/p/a.ipynb" }, "edit", "NotebookEdit a.ipynb", [{ path: "/p/a.ipynb" }]],
  ["delete_file", { path: "/p/a" }, "delete", "delete_file a", [{ path: "/p/a" }]],
  ["rename", { path: "/p/a", to: "b" }, "move", "rename a", [{ path: "/p/a" }]],
  ["Grep", { pattern: "x", path: "/p/src" }, "search", "Grep x in src", [{ path: "/p/src" }]],
  ["WebSearch", { query: "keel" }, "fetch", "WebSearch keel"],
  ["WebFetch", { url: "https://x.example", prompt: "?" }, "fetch", "WebFetch https://x.example"],
  ["Bash", { command: "npm test", description: "Run the tests" }, "execute", "Bash npm test"],
  ["Task", { description: "find it", prompt: "…" }, "think", "Task find it"],
  ["TaskCreate", { subject: "Fix it", description: "All of it" }, "think", "TaskCreate Fix it"],
  ["ExitPlanMode", {}, "switch_mode", "ExitPlanMode"],
  ["ReportFindings", {}, "other", "ReportFindings"],
  ["PowerShell", { command: "ls" }, "execute", "PowerShell ls"],
  ["str_replace_editor", { path: "/p/a" }, "edit", "str_replace_editor a", [{ path: "/p/a" }]],
  ["ToolOfTomorrow", { alpha: 1 }, "other", "ToolOfTomorrow (alpha: 1)"],
  ["mcp__git_hub__search", { query: "q" }, "other", 'git_hub: search (query: "q")'],
  ["Read", { file_path: 7 }, "read", "Read (file_path: 7)"],
  ["", {}, "other", ""],
];

test.each(guessed)("without a word of the session, %s %j is of kind %s: %s", (name, input, kind, line, places = []) => {
  const label = labelOf({ name, input }, undefined, "/p");
  expect([label.kind, callLine({ name, input }, label), label.locations]).toEqual([kind, line, places] as never);
});

test("what the session says counts", () => {
  const meta: ToolUseMeta = {
    id: "a",
    display_name: "Question",
    tool_name: "AskUserQuestion",
    kind: "think",
    title: "",
    note: "said",
    locations: [{ path: "/p/a", line: 2 }],
  };
  const call = { name: "AskUserQuestion", input: { questions: [] } };
  const label = labelOf(call, meta);
  expect(label).toEqual({ name: "Question", kind: "think", title: "", note: "said", locations: meta.locations! });
  expect(callLine(call, label)).toBe("Question");
});

test("of an MCP tool, the session may say no more than its names", () => {
  const meta: ToolUseMeta = { id: "a", display_name: "List", server_display_name: "GitHub", tool_name: "ls" };
  const call = { name: "mcp__gh__ls", input: { repo: "r" } };
  expect(callLine(call, labelOf(call, meta))).toBe('GitHub: List (repo: "r")');
});

test("arguments are cut, unless all of them are wanted", () => {
  const input = { text: "x".repeat(100), b: 1 };
  expect(listArguments(input)).toBe(`text: "${"x".repeat(79)}…, b: 1`);
  expect(listArguments(input, { whole: true })).toBe(`text: "${"x".repeat(100)}",\nb: 1`);
});

test("a path is short inside the folder only", () => {
  expect(["/p/a", "/p", "/pa", "/x"].map((path) => relativePath(path, "/p"))).toEqual(["a", ".", "/pa", "/x"]);
  expect(relativePath("/a", "")).toBe("/a");
});
