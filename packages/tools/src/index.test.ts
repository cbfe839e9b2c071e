import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { editTool, globTool, grepTool, notebookEditTool, readFileTool, todoWriteTool, writeTool } from "./index.ts";

const tools = [
  readFileTool,
  writeTool,
  editTool,
  notebookEditTool,
  globTool,
  grepTool,
  todoWriteTool({ get: () => [], set: () => {} }),
];

test("schemas are closed and have the reference's fields", () => {
  const fields = tools.map(({ name, input }) => [
    name,
    Object.keys(input.json.properties as object),
    input.json.required,
    input.json.additionalProperties,
  ]);
  expect(fields).toEqual([
    ["Read", ["file_path", "offset", "limit", "pages"], ["file_path"], false],
    ["Write", ["file_path", "content"], ["file_path", "content"], false],
    [
      "Edit",
      ["file_path", "old_string", "new_string", "replace_all"],
      ["file_path", "old_string", "new_string"],
      false,
    ],
    [
      "NotebookEdit",
      ["notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"],
      ["notebook_path", "new_source"],
      false,
    ],
    ["Glob", ["pattern", "path"], ["pattern"], false],
    [
      "Grep",
      [
        "pattern",
        "path",
        "glob",
        "output_mode",
        "-B",
        "-A",
        "-C",
        "context",
        "-n",
        "-i",
        "-o",
        "type",
        "head_limit",
        "offset",
        "multiline",
      ],
      ["pattern"],
      false,
    ],
    ["TodoWrite", ["todos"], ["todos"], false],
  ]);
});

test("tools that only read may run in parallel, tools that write may not", () => {
  expect(tools.filter(({ parallelSafe }) => parallelSafe).map(({ name }) => name)).toEqual(["Read", "Glob", "Grep"]);
});

test("every description exists and is short", () => {
  for (const { description } of tools) {
    expect(description.length).toBeGreaterThan(100);
    expect(description.length).toBeLessThan(1_536);
  }
});

test("the example in the README runs", async () => {
  const readme = readFileSync(join(import.meta.dir, "../README.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  const run = Bun.spawn([process.execPath, "-e", example], { cwd: import.meta.dir, stdout: "pipe", stderr: "inherit" });
  expect(await run.stdout.text()).toBe("Read Write Edit TodoWrite\n");
});
