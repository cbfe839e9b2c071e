// Changed lines with their numbers.

import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export function renderDiff(
  { hunks }: { readonly path: string; readonly hunks: readonly DiffHunk[] },
  columns: number,
  theme: Theme,
  { maxRows }: { readonly maxRows: number },
): string[] {
  const rows = hunks.flatMap((hunk) => {
    let number = hunk.newStart - 1;
    return hunk.lines.map((line) => {
      if (!line.startsWith("-")) number += 1;
      const text = fit(`${String(number).padStart(4)} ${cleanRow(line)}`, columns);
      return line.startsWith("+")
        ? theme.paint("added", text)
        : line.startsWith("-")
          ? theme.paint("removed", text)
          : text;
    });
  });
  if (rows.length <= maxRows) return rows;
  return [...rows.slice(0, maxRows - 1), theme.paint("dim", `… ${rows.length - maxRows + 1} more rows`)];
}
