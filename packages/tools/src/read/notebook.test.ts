import { expect, test } from "bun:test";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { readFileTool } from "./read.ts";

const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: "python" } },
  cells: [
    { cell_type: "markdown", id: "m1", source: ["# Title\n", "text"], metadata: {} },
    {
      cell_type: "code",
      id: "c1",
      execution_count: 2,
      source: "print(1)",
      outputs: [
        { output_type: "stream", name: "stdout", text: ["1\n"] },
        { output_type: "display_data", data: { "text/plain": ["<Figure>"], "image/png": "iVBO\nRw==" } },
        { output_type: "error", ename: "E", evalue: "bad", traceback: ["\u001b[31mline\u001b[0m"] },
      ],
    },
    { cell_type: "code", source: "x", outputs: [] },
  ],
};

test("a notebook is shown cell by cell, with images in between", async () => {
  using world = toolWorld();
  const path = world.put("a.ipynb", JSON.stringify(notebook));
  expect(await call(readFileTool, { file_path: "a.ipynb" }, world.context)).toEqual({
    type: "notebook",
    file: {
      filePath: path,
      cells: [
        { cellType: "markdown", source: "# Title\ntext", cell_id: "m1" },
        {
          cellType: "code",
          source: "print(1)",
          execution_count: 2,
          cell_id: "c1",
          language: "python",
          outputs: [
            { output_type: "stream", text: "1\n" },
            {
              output_type: "display_data",
              text: "<Figure>",
              image: { image_data: "iVBORw==", media_type: "image/png" },
            },
            { output_type: "error", text: "E: bad\nline" },
          ],
        },
        { cellType: "code", source: "x", cell_id: "cell-2", language: "python" },
      ],
    },
  });
  world.put("b.ipynb", JSON.stringify(notebook));
  expect(await answer(readFileTool, { file_path: "b.ipynb" }, world.context)).toEqual([
    {
      type: "text",
      text: '<cell id="m1"><cell_type>markdown</cell_type># Title\ntext</cell id="m1">\n<cell id="c1">print(1)</cell id="c1">\n\n1\n\n\n<Figure>',
    },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
    { type: "text", text: '\nE: bad\nline\n<cell id="cell-2">x</cell id="cell-2">' },
  ]);
});

test("long outputs are omitted, and a file that is not a notebook is rejected", async () => {
  using world = toolWorld();
  const loud = {
    cell_type: "code",
    id: "c",
    source: "x",
    outputs: [{ output_type: "stream", text: "y".repeat(20_000) }],
  };
  world.put("a.ipynb", JSON.stringify({ ...notebook, cells: [loud] }));
  world.put("b.ipynb", "{}");
  expect(await answer(readFileTool, { file_path: "a.ipynb" }, world.context)).toEqual([
    {
      type: "text",
      text: '<cell id="c">x</cell id="c">\n\n(20000 characters of output omitted; to see them: jq \'.cells[0].outputs\' <notebook>)',
    },
  ]);
  expect(await answer(readFileTool, { file_path: "b.ipynb" }, world.context)).toContain("is not a notebook");
});

test("an unchanged notebook is not shown twice", async () => {
  using world = toolWorld();
  world.put("a.ipynb", JSON.stringify(notebook));
  await call(readFileTool, { file_path: "a.ipynb" }, world.context);
  expect(await call(readFileTool, { file_path: "a.ipynb" }, world.context)).toMatchObject({ type: "file_unchanged" });
});
