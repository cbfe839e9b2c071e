import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { editedText } from "./edits.ts";

const from = (old_string: string, new_string: string, replace_all = false) => ({ old_string, new_string, replace_all });

test.each<[string, string, JsonObject, string | null | undefined, { before: string; after: string } | undefined]>([
  ["a new file", "Write", { content: "x" }, null, { before: "", after: "x" }],
  ["an old file", "Write", { content: "x" }, "y", { before: "y", after: "x" }],
  ["the first match", "Edit", from("a", "$&b"), "a a", { before: "a a", after: "$&b a" }],
  ["all matches", "Edit", from("a", "b", true), "a a", { before: "a a", after: "b b" }],
  ["an edit that creates a file", "Edit", from("", "x"), null, { before: "", after: "x" }],
  ["an edit that does not fit", "Edit", from("q", "b"), "a", { before: "q", after: "b" }],
  ["an unread file", "Edit", from("q", "b"), undefined, { before: "q", after: "b" }],
  ["edits in turn", "MultiEdit", { edits: [from("a", "b"), from("b", "c")] }, "a", { before: "a", after: "c" }],
  ["a cell", "NotebookEdit", { new_source: "x" }, undefined, { before: "", after: "x" }],
  ["no edit", "Edit", { old_string: 1 }, "a", undefined],
  ["another tool", "Bash", {}, "a", undefined],
])("editedText() for %s", (_, tool, input, current, expected) => {
  expect(editedText(tool, input, current)).toEqual(expected);
});
