// What an edit changed: how many lines, and the diff.

import { isObject } from "@keelson/protocol";
import type { DiffHunk } from "../../diff/diff-of.ts";
import type * as RenderDiff from "../../diff/render-diff.ts";
import { fit } from "../../screen/rows.ts";
import type { CallItem, ShownResult } from "../../stream/item.ts";
import { counted } from "../amounts.ts";
import { errorRows } from "../fold.ts";
import { relativePath, type ItemLook } from "../look.ts";

const MOST_DIFF_ROWS = 24;
const MOST_NEW_FILE_ROWS = 10;

export function editRows({ input }: CallItem, result: ShownResult, columns: number, look: ItemLook): string[] {
  if (result.isError) return errorRows(result.text, columns, look);
  const output = isObject(result.output) ? result.output : {};
  const file = String(output["filePath"] ?? input["file_path"] ?? "");
  const content = output["content"] ?? input["content"];
  const isNew = output["type"] === "create" && typeof content === "string";
  const hunks = isNew ? [newFile(content)] : hunksIn(output["structuredPatch"]);
  // Colors for code are not needed before the first edit.
  const { countChangedLines, renderDiff } = require("../../diff/render-diff.ts") as typeof RenderDiff;
  const { added, removed } = countChangedLines(hunks);
  const head = isNew ? `Created with ${counted(added, "line")}` : changed(added, removed);
  const maxRows = look.whole ? Infinity : isNew ? MOST_NEW_FILE_ROWS : MOST_DIFF_ROWS;
  const rows = renderDiff({ path: relativePath(file, look.cwd), hunks }, columns, look.theme, { maxRows });
  return [look.theme.paint("dim", fit(head, columns)), ...rows];
}

function changed(added: number, removed: number): string {
  if (added === 0 && removed === 0) return "No lines changed";
  if (removed === 0) return `Added ${counted(added, "line")}`;
  if (added === 0) return `Removed ${counted(removed, "line")}`;
  return `Added ${counted(added, "line")}, removed ${removed}`;
}

function newFile(content: string): DiffHunk {
  const lines = content.replace(/\n$/, "").split("\n");
  return { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines: lines.map((line) => `+${line}`) };
}

function hunksIn(patch: unknown): DiffHunk[] {
  return Array.isArray(patch) ? (patch as unknown[]).filter(isHunk) : [];
}

const isHunk = (value: unknown): value is DiffHunk =>
  isObject(value) && Array.isArray(value["lines"]) && typeof value["newStart"] === "number";
