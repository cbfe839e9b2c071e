import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { activityOf, ToolRecord } from "./tool-record.ts";

test.each<[string, JsonObject, string | undefined]>([
  ["Bash", { command: "npm test", description: "Run the tests" }, "Running Run the tests"],
  ["Bash", { command: "echo a\n  echo b" }, "Running echo a echo b"],
  ["Read", { file_path: "/p/src/notes.txt" }, "Reading notes.txt"],
  ["Write", { file_path: "/p/new.txt", content: "x" }, "Writing new.txt"],
  ["Edit", { file_path: "/p/new.txt" }, "Editing new.txt"],
  ["Grep", { pattern: "TODO" }, "Searching for TODO"],
  ["Glob", { pattern: "*.ts" }, "Finding *.ts"],
  ["WebFetch", { url: "https://example.com/" }, "Fetching https://example.com/"],
  ["Read", { file_path: 7 }, undefined],
  ["TodoWrite", { todos: [] }, undefined],
  ["constructor", {}, undefined],
])("what an agent does with %s is told in words: %j", (name, input, told) => {
  expect(activityOf({ type: "tool_use", id: "c", name, input })).toBe(told);
});

test("calls are counted by kind, and lines by what file tools say", () => {
  const record = new ToolRecord();
  for (const name of ["Read", "Grep", "Glob", "Bash", "Write", "mcp__a__b", "toString"]) record.call(name);
  const message = { role: "user" as const, content: [] };
  const patch = [{ lines: ["-a", "+b", "+c", " d"] }];
  record.result({ type: "user", uuid: "u", message, toolUseResult: { type: "update", structuredPatch: patch } });
  record.result({ type: "user", uuid: "v", message, toolUseResult: "Error: no" });
  expect(record.stats).toEqual({
    readCount: 1,
    searchCount: 2,
    bashCount: 1,
    editFileCount: 1,
    otherToolCount: 2,
    linesAdded: 2,
    linesRemoved: 1,
  });
});
