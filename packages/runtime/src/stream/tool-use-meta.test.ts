import { expect, test } from "bun:test";
import type { JsonObject, ToolUseBlock } from "@keelson/protocol";
import {
  bashTool,
  createReadFileTool,
  editTool,
  globTool,
  grepTool,
  notebookEditTool,
  writeTool,
} from "@keelson/tools";
import { toolUseMeta } from "./tool-use-meta.ts";

const tools = [createReadFileTool(), editTool, writeTool, notebookEditTool, globTool, grepTool, bashTool()];
const toolOf = (name: string) => tools.find((tool) => tool.name === name);
const call = (name: string, input: unknown): ToolUseBlock => ({
  type: "tool_use",
  id: "c",
  name,
  input: input as JsonObject,
});
const metaOf = (name: string, input: unknown) => {
  const [{ id: _, tool_name: __, ...meta } = { id: "", tool_name: "" }] = toolUseMeta(
    [call(name, input)],
    { toolOf, cwd: () => "/p" },
    true,
  );
  return meta;
};

test.each<[string, unknown, object]>([
  ["Read", { file_path: "/p/a.ts" }, { kind: "read", title: "a.ts", locations: [{ path: "/p/a.ts", line: 1 }] }],
  [
    "Read",
    { file_path: "/p/a.ts", offset: 5, limit: 3 },
    { kind: "read", title: "a.ts, lines 5–7", locations: [{ path: "/p/a.ts", line: 5 }] },
  ],
  ["Edit", { file_path: "b/c.ts" }, { kind: "edit", title: "b/c.ts", locations: [{ path: "/p/b/c.ts" }] }],
  ["Write", { file_path: "/x/d" }, { kind: "edit", title: "/x/d", locations: [{ path: "/x/d" }] }],
  ["Glob", { pattern: "*.ts" }, { kind: "search", title: "*.ts" }],
  ["Grep", { pattern: "x", path: "/p" }, { kind: "search", title: '"x" in .', locations: [{ path: "/p" }] }],
  ["Bash", { command: "ls", description: "List" }, { kind: "execute", title: "ls", note: "List" }],
  // The start of a call, and whatever else a model writes.
  ["Read", {}, { kind: "read", title: "" }],
  ["Read", { file_path: { a: 1 }, offset: "x" }, { kind: "read", title: "" }],
  ["Bash", null, { kind: "execute", title: "" }],
])("%s %j is %j", (name, input, expected) => {
  expect(metaOf(name, input)).toEqual({ display_name: name, ...expected });
});

test("of a tool that is not known, nothing is said", () => {
  expect(toolUseMeta([call("Nope", {})], { toolOf, cwd: () => "/p" }, true)).toEqual([]);
});

test("clients of the reference get the names of MCP tools only", () => {
  const calls = [call("Bash", { command: "ls" }), call("mcp__gh__ls", {})];
  const originOf = (tool: string) =>
    tool.startsWith("mcp__") ? { server: "gh", source: "project", tool: "ls", title: "List" } : undefined;
  const names = { id: "c", display_name: "List", server_display_name: "gh", tool_name: "ls" };
  const naming = { originOf, toolOf, cwd: () => "/p" };
  expect(toolUseMeta(calls, naming, false)).toEqual([names]);
  expect(toolUseMeta(calls, naming, true).at(-1)).toEqual({ ...names, kind: "other" });
});
