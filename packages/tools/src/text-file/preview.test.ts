// What people see of an edit before they approve it is what it then does.

import { expect, test } from "bun:test";
import { editTool } from "../edit/edit.ts";
import { notebookEditTool } from "../notebook-edit/notebook-edit.ts";
import { readFileTool } from "../read/read.ts";
import { call, toolWorld } from "../tool-world.test-support.ts";
import { writeTool } from "../write/write.ts";

test("the preview of an edit is the patch that it makes, and makes nothing", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "one\r\ntwo\r\nthree\r\n");
  await call(readFileTool, { file_path: path }, world.context);
  const input = { file_path: "a.txt", old_string: "two", new_string: "2" };
  const preview = await editTool.preview!(input, world.context);
  expect(world.text("a.txt")).toBe("one\r\ntwo\r\nthree\r\n");
  const { structuredPatch } = await call(editTool, input, world.context);
  expect(preview).toEqual({ path, hunks: structuredPatch });
});

test("the preview of a file that is written is what changes, and says whether it is new", async () => {
  using world = toolWorld();
  const path = world.path("a.txt");
  const preview = (content: string) => writeTool.preview!({ file_path: path, content }, world.context);
  const added = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+one"] };
  expect(await preview("one\n")).toEqual({ path, isNew: true, hunks: [added] });
  expect(await preview("")).toEqual({ path, isNew: true, hunks: [] });
  await call(writeTool, { file_path: path, content: "one\n" }, world.context);
  expect(await preview("one\n")).toEqual({ path, hunks: [] });
  const { structuredPatch } = await call(writeTool, { file_path: path, content: "two\n" }, world.context);
  expect(structuredPatch.length).toBe(1);
  expect(await preview("one\n")).toMatchObject({ hunks: [{ lines: ["-two", "+one"] }] });
});

test("a change that is too long to show has no preview", async () => {
  using world = toolWorld();
  const preview = (content: string) => writeTool.preview!({ file_path: "a.txt", content }, world.context);
  expect(await preview("line\n".repeat(50_000))).toBeUndefined();
  expect(await preview("x".repeat(3_000_000))).toBeUndefined();
  expect((await preview("line\n".repeat(30_000)))?.hunks).toHaveLength(1);
});

test("the preview of a cell is its source, before and after", async () => {
  using world = toolWorld();
  const cell = { cell_type: "code", id: "c1", metadata: {}, source: "a\nb", execution_count: null, outputs: [] };
  const path = world.put("a.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  await call(readFileTool, { file_path: path }, world.context);
  const lines = async (more: object, new_source = "") => {
    const input = { notebook_path: path, cell_id: "c1", new_source, ...more };
    const patch = await notebookEditTool.preview!(input, world.context);
    return patch?.hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith("\\"));
  };
  expect(await lines({}, "a\nc")).toEqual([" a", "-b", "+c"]);
  expect(await lines({ edit_mode: "delete" })).toEqual(["-a", "-b"]);
  expect(await lines({ edit_mode: "insert", cell_type: "code" }, "x")).toEqual(["+x"]);
});
