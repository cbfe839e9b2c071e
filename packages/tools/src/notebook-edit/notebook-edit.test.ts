import { expect, test } from "bun:test";
import { readFileTool } from "../read/read.ts";
import { answer, call, toolWorld, type World } from "../tool-world.test-support.ts";
import { notebookEditTool } from "./notebook-edit.ts";

const code = {
  cell_type: "code",
  id: "c1",
  metadata: {},
  source: ["print(1)"],
  execution_count: 3,
  outputs: [{ output_type: "stream", text: "1" }],
};
const prose = { cell_type: "markdown", id: "m1", metadata: {}, source: "# T" };
const notebook = { cells: [code, prose], metadata: {}, nbformat: 4, nbformat_minor: 5 };

async function withNotebook(world: World, content: object = notebook): Promise<string> {
  const path = world.put("a.ipynb", `${JSON.stringify(content)}\n`);
  await call(readFileTool, { file_path: path }, world.context);
  return path;
}

test("replacing a cell clears its outputs and keeps the rest", async () => {
  using world = toolWorld();
  const notebook_path = await withNotebook(world);
  const after = { ...notebook, cells: [{ ...code, source: "print(3)", execution_count: null, outputs: [] }, prose] };
  const output = await call(notebookEditTool, { notebook_path, cell_id: "c1", new_source: "print(3)" }, world.context);
  expect(output).toEqual({
    new_source: "print(3)",
    old_source: "print(1)",
    cell_type: "code",
    language: "python",
    edit_mode: "replace",
    cell_id: "c1",
    error: "",
    notebook_path,
    original_file: `${JSON.stringify(notebook)}\n`,
    updated_file: world.text("a.ipynb"),
  });
  expect(JSON.parse(world.text("a.ipynb"))).toEqual(after);
  expect(world.text("a.ipynb")).toStartWith('{\n "cells": [\n  {');
  expect(world.text("a.ipynb")).toEndWith("}\n");
  expect(notebookEditTool.show(output)).toBe("Updated cell c1");
});

test("inserts a cell at the top or after another, and deletes a cell", async () => {
  using world = toolWorld();
  const notebook_path = await withNotebook(world);
  const edit = (input: object) => answer(notebookEditTool, { notebook_path, new_source: "y", ...input }, world.context);
  const ids = () => JSON.parse(world.text("a.ipynb")).cells.map((cell: { id: string }) => cell.id);

  const first = await edit({ edit_mode: "insert", cell_type: "code" });
  expect(first).toMatch(/^Inserted cell [0-9a-f]{8}$/);
  const id = String(first).split(" ")[2]!;
  expect(ids()).toEqual([id, "c1", "m1"]);

  const second = await edit({ edit_mode: "insert", cell_type: "markdown", cell_id: "cell-1" });
  const other = String(second).split(" ")[2]!;
  expect(ids()).toEqual([id, "c1", other, "m1"]);
  expect(other).not.toBe(id);

  expect(await edit({ edit_mode: "delete", cell_id: "m1" })).toBe("Deleted cell m1");
  expect(ids()).toEqual([id, "c1", other]);
});

test("works without cell ids in older notebooks, and can change the type of a cell", async () => {
  using world = toolWorld();
  const { id: _, ...cell } = code;
  const notebook_path = await withNotebook(world, { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 2 });
  const edit = (input: object) => answer(notebookEditTool, { notebook_path, new_source: "y", ...input }, world.context);
  expect(await edit({ edit_mode: "insert", cell_type: "code", cell_id: "cell-0" })).toBe("Inserted cell cell-1");
  expect(await edit({ cell_id: "cell-0", cell_type: "markdown" })).toBe("Updated cell cell-0");
  expect(JSON.parse(world.text("a.ipynb")).cells).toEqual([
    { cell_type: "markdown", metadata: {}, source: "y" },
    { cell_type: "code", metadata: {}, source: "y", execution_count: null, outputs: [] },
  ]);
});

test("check() rejects an edit that cannot be done", async () => {
  using world = toolWorld();
  const notebook_path = await withNotebook(world);
  world.put("unread.ipynb", "{}");
  const cases: [object, string][] = [
    [{ edit_mode: "insert" }, "Inserting a cell needs cell_type: code or markdown."],
    [{ cell_id: "nope" }, 'Cell with ID "nope" not found in notebook.'],
    [{ cell_id: "cell-2" }, 'Cell with ID "cell-2" not found in notebook.'],
    [{}, "Replacing or deleting a cell needs cell_id, as Read shows it."],
    [{ notebook_path: "a.txt" }, "NotebookEdit only changes Jupyter notebooks (.ipynb). Use Edit for other files."],
    [{ notebook_path: "unread.ipynb", cell_id: "x" }, "File has not been read yet. Read it, then repeat the call."],
  ];
  for (const [input, said] of cases) {
    const given = { notebook_path, new_source: "x", ...input };
    expect(await answer(notebookEditTool, given, world.context)).toBe(`refused: ${said}`);
  }
});

test("file_path is accepted for notebook_path", () => {
  expect(notebookEditTool.repair!({ file_path: "a.ipynb", new_source: "" })).toEqual({
    notebook_path: "a.ipynb",
    new_source: "",
  });
});
