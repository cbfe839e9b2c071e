// What an edit changed: how many lines, and the diff.

import { patchOfResult, relativePath, type CallItem, type ShownResult } from "@keelson/client";
import type * as RenderDiff from "../../diff/render-diff.ts";
import { fit } from "../../screen/rows.ts";
import { counted } from "../amounts.ts";
import { errorRows, folded } from "../fold.ts";
import type { ItemLook } from "../look.ts";

const MOST_DIFF_ROWS = 24;
const MOST_NEW_FILE_ROWS = 10;

export function editRows({ input }: CallItem, result: ShownResult, columns: number, look: ItemLook): string[] {
  if (result.isError) return errorRows(result.text, columns, look);
  const patch = patchOfResult(input, result.output);
  if (patch === undefined) return folded(result.text, columns, look);
  const { path, isNew, hunks } = patch;
  // Colors for code are not needed before the first edit.
  const { countChangedLines, renderDiff } = require("../../diff/render-diff.ts") as typeof RenderDiff;
  const { added, removed } = countChangedLines(hunks);
  const head = isNew ? `Created with ${counted(added, "line")}` : changed(added, removed);
  const maxRows = look.whole ? Infinity : isNew ? MOST_NEW_FILE_ROWS : MOST_DIFF_ROWS;
  const rows = renderDiff({ path: relativePath(path, look.cwd), hunks }, columns, look.theme, { maxRows });
  return [look.theme.paint("dim", fit(head, columns)), ...rows];
}

function changed(added: number, removed: number): string {
  if (added === 0 && removed === 0) return "No lines changed";
  if (removed === 0) return `Added ${counted(added, "line")}`;
  if (added === 0) return `Removed ${counted(removed, "line")}`;
  return `Added ${counted(added, "line")}, removed ${removed}`;
}
