// The edit of one cell: what the notebook would be after it, and writing that.

import { extname } from "node:path";
import { ToolError, type ToolContext } from "@keelson/engine";
import { missingFileError, resolvePath } from "../path.ts";
import { languageOf } from "../read/notebook.ts";
import { encode } from "../text-file/encoding.ts";
import { withEnding } from "../text-file/line-endings.ts";
import { shownPatch } from "../text-file/patch.ts";
import { readIfSeen, writeAndRecord } from "../text-file/seen.ts";
import { storableText, toTextFile, type TextFile } from "../text-file/text-file.ts";
import {
  findCell,
  freshId,
  hasIds,
  insertCell,
  parseNotebook,
  removeCell,
  replaceCell,
  sourceOf,
  type CellType,
  type Notebook,
} from "./cells.ts";

export interface CellEditInput {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly new_source: string;
  readonly cell_type?: CellType;
  readonly edit_mode?: "replace" | "insert" | "delete";
}

export interface CellEditResult {
  readonly new_source: string;
  readonly old_source?: string;
  readonly cell_type: string;
  readonly language: string;
  readonly edit_mode: "replace" | "insert" | "delete";
  readonly cell_id: string;
  readonly error: "";
  readonly notebook_path: string;
  readonly original_file: string | null;
  readonly updated_file: string | null;
}

export async function makeEdit(input: CellEditInput, context: ToolContext): Promise<CellEditResult> {
  const { path, file, bytes, output } = await planEdit(input, context);
  await writeAndRecord(path, bytes, context);
  return { ...output, original_file: storableText(file.lf) };
}

/** The change of the cell, as if it were a file of its own. */
export async function previewEdit(input: CellEditInput, context: ToolContext) {
  const { path, output } = await planEdit(input, context);
  const { old_source = "", new_source, edit_mode } = output;
  return shownPatch(path, old_source, edit_mode === "delete" ? "" : new_source);
}

/** Throws ToolError if the edit cannot be made. */
export async function planEdit(input: CellEditInput, context: ToolContext) {
  const { cell_id, cell_type, edit_mode = "replace" } = input;
  const path = resolvePath(input.notebook_path, context);
  if (extname(path).toLowerCase() !== ".ipynb") {
    throw new ToolError("NotebookEdit only changes Jupyter notebooks (.ipynb). Use Edit for other files.");
  }
  if (edit_mode === "insert" && !cell_type) throw new ToolError("Inserting a cell needs cell_type: code or markdown.");
  if (edit_mode !== "insert" && !cell_id)
    throw new ToolError("Replacing or deleting a cell needs cell_id, as Read shows it.");
  const stat = await context.files.stat(path);
  if (!stat) throw await missingFileError(path, context);

  const file = toTextFile(await readIfSeen(path, stat, context));
  const before = parseNotebook(file.text);
  const index = cell_id ? findCell(before, cell_id) : -1;
  const { after, id } = applyEdit(before, index, input, context.toolUseId);
  const text = JSON.stringify(after, null, 1) + (file.lf.endsWith("\n") ? "\n" : "");
  const target = before.cells[index];
  const output: CellEditResult = {
    new_source: input.new_source,
    ...(target && edit_mode !== "insert" ? { old_source: sourceOf(target) } : {}),
    cell_type: cell_type ?? String(target?.cell_type ?? "code"),
    language: languageOf(before),
    edit_mode,
    cell_id: id,
    error: "",
    notebook_path: path,
    original_file: null,
    updated_file: storableText(text),
  };
  return { path, file, bytes: encodeLike(file, text), output };
}

function applyEdit(
  notebook: Notebook,
  index: number,
  input: CellEditInput,
  seed: string,
): { after: Notebook; id: string } {
  const { new_source, cell_type, cell_id = "" } = input;
  switch (input.edit_mode ?? "replace") {
    case "replace":
      return { after: replaceCell(notebook, index, new_source, cell_type), id: cell_id };
    case "delete":
      return { after: removeCell(notebook, index), id: cell_id };
    case "insert": {
      // Insert after the given cell; index -1 means no cell was given, so insert at the top.
      const id = hasIds(notebook) ? freshId(notebook, seed) : undefined;
      const after = insertCell(notebook, index + 1, new_source, cell_type ?? "code", id);
      return { after, id: id ?? `cell-${index + 1}` };
    }
  }
}

function encodeLike({ encoding, bom, ending }: TextFile, text: string): Uint8Array {
  const bytes = encode(withEnding(text, ending), encoding, bom);
  // JSON should be UTF-8, so fall back to that if the file's encoding lacks a character.
  return bytes instanceof Uint8Array ? bytes : new TextEncoder().encode(text);
}
