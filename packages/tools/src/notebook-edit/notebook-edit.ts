// NotebookEdit: replaces, inserts or removes one cell of a notebook the model has read.

import { defineTool, object, oneOf, optional, string } from "@keelson/engine";
import { resolvePath } from "../path.ts";
import description from "./notebook-edit.md" with { type: "text" };
import type { CellEditInput, CellEditResult } from "./plan-edit.ts";

export const notebookEditTool = defineTool<CellEditInput, CellEditResult>({
  name: "NotebookEdit",
  description,
  input: object({
    notebook_path: string("The notebook to change, preferably an absolute path"),
    cell_id: optional(
      string("The cell to change, as shown by Read; when inserting, the cell to insert after (omit it for the top)"),
    ),
    new_source: string("The new source of the cell"),
    cell_type: optional(oneOf(["code", "markdown"], "Required when inserting; otherwise the cell keeps its type")),
    edit_mode: optional(oneOf(["replace", "insert", "delete"], "The kind of edit (default replace)")),
  }),

  kind: "edit",
  describe: (input) => input.path("notebook_path"),

  repair({ file_path, ...input }) {
    return file_path === undefined ? input : { notebook_path: file_path, ...input };
  },

  // Few sessions edit notebooks, so what does it is loaded here.
  async check(input, context) {
    const { planEdit } = await import("./plan-edit.ts");
    await planEdit(input, context);
  },

  access: ({ notebook_path }, context) => ({ kind: "edit", path: resolvePath(notebook_path, context) }),

  async preview(input, context) {
    const { previewEdit } = await import("./plan-edit.ts");
    return previewEdit(input, context);
  },

  async run(input, context) {
    const { makeEdit } = await import("./plan-edit.ts");
    return makeEdit(input, context);
  },

  show({ edit_mode, cell_id }) {
    switch (edit_mode) {
      case "replace":
        return `Updated cell ${cell_id}`;
      case "insert":
        return `Inserted cell ${cell_id}`;
      case "delete":
        return `Deleted cell ${cell_id}`;
    }
  },
});
