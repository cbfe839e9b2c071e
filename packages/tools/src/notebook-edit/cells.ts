// Finds, replaces, inserts and removes cells of a notebook. Pure; every function returns a new notebook.

import { isObject, tryParse } from "@keelson/protocol";
import { ToolError } from "@keelson/engine";
import { joinLines } from "../read/notebook.ts";

export type CellType = "code" | "markdown";
export type RawCell = Record<string, unknown>;

export interface Notebook extends Record<string, unknown> {
  readonly cells: readonly RawCell[];
}

export function parseNotebook(text: string): Notebook {
  const notebook = tryParse(text);
  if (isObject(notebook) && Array.isArray(notebook.cells) && notebook.cells.every(isObject))
    return notebook as Notebook;
  throw new ToolError("Notebook is not valid JSON with a list of cells. Repair it with a command before editing it.");
}

/** Finds a cell by id, or by position as `cell-3`. */
export function findCell({ cells }: Notebook, id: string): number {
  const byId = cells.findIndex((cell) => cell.id === id);
  if (byId !== -1) return byId;
  const position = /^cell-(\d{1,9})$/.exec(id)?.[1];
  const index = position === undefined ? -1 : Number(position);
  if (index >= 0 && index < cells.length) return index;
  throw new ToolError(`Cell with ID "${id}" not found in notebook.`);
}

export function replaceCell(notebook: Notebook, index: number, source: string, type: CellType | undefined): Notebook {
  const { outputs: _, execution_count: __, ...cell } = notebook.cells[index]!;
  const cell_type = type ?? cell.cell_type;
  // The old outputs do not belong to the new source.
  const fresh = cell_type === "code" ? { execution_count: null, outputs: [] } : {};
  return { ...notebook, cells: notebook.cells.with(index, { ...cell, cell_type, source, ...fresh }) };
}

export function insertCell(
  notebook: Notebook,
  index: number,
  source: string,
  type: CellType,
  id: string | undefined,
): Notebook {
  const cell = {
    cell_type: type,
    ...(id ? { id } : {}),
    metadata: {},
    source,
    ...(type === "code" ? { execution_count: null, outputs: [] } : {}),
  };
  return { ...notebook, cells: notebook.cells.toSpliced(index, 0, cell) };
}

export function removeCell(notebook: Notebook, index: number): Notebook {
  return { ...notebook, cells: notebook.cells.toSpliced(index, 1) };
}

/** Cells have ids since format 4.5. */
export function hasIds({ nbformat, nbformat_minor }: Notebook): boolean {
  const major = Number(nbformat);
  return major > 4 || (major === 4 && Number(nbformat_minor) >= 5);
}

/** A new, unused id of eight hexadecimal digits; the same seed gives the same id. */
export function freshId({ cells }: Notebook, seed: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = Bun.hash(`${seed}/${attempt}`).toString(16).padStart(16, "0").slice(0, 8);
    if (!cells.some((cell) => cell.id === id)) return id;
  }
}

export const sourceOf = (cell: RawCell) => joinLines(cell.source);
