// A change that is not made yet, as rows.

import { diffOf } from "../../diff/diff-of.ts";
import { renderDiff } from "../../diff/render-diff.ts";
import type { Theme } from "../../theme/theme.ts";

export function diffRows(path: string, before: string, after: string, columns: number, theme: Theme): string[] {
  return renderDiff({ path, hunks: diffOf(before, after) }, columns, theme);
}
