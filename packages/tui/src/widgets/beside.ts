// Two columns of rows next to each other.

import { fit, width } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";

/** The left rows are filled up to `leftColumns`; a bar divides them from the right ones. */
export function beside(
  left: readonly string[],
  right: readonly string[],
  leftColumns: number,
  theme: Theme,
): readonly string[] {
  const bar = theme.paint("border", theme.ascii ? "|" : "│");
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, at) => {
    const row = fit(left[at] ?? "", leftColumns);
    return `${row}${" ".repeat(Math.max(0, leftColumns - width(row)))} ${bar} ${right[at] ?? ""}`;
  });
}
