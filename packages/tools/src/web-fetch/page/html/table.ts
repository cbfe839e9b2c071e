// Tables: as Markdown if they hold data, as plain blocks if they only place things on a page.

/** The blocks in one cell. */
export type TableCell = readonly string[];

/** A cell with more text than this is not data. */
const LONG_CELL = 500;

export function tableBlocks(rows: readonly (readonly TableCell[])[]): string[] {
  const filled = rows.filter((row) => row.some((cell) => cell.length > 0));
  const isLayout =
    filled.every((row) => row.length <= 1) ||
    filled.some((row) => row.some((cell) => cell.reduce((sum, block) => sum + block.length, 0) > LONG_CELL));
  if (isLayout) return filled.flat(2);
  const lines = filled.map(rowText);
  // Rows are not filled up: a few wide rows among many short ones would become a very large table.
  lines.splice(1, 0, `|${" --- |".repeat(filled[0]!.length)}`);
  return [lines.join("\n")];
}

const rowText = (row: readonly TableCell[]) => `| ${row.map(cellText).join(" | ")} |`;

const cellText = (cell: TableCell) =>
  cell
    .join(" ")
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|");
