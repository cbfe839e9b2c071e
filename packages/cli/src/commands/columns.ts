// Lists in columns, as the `list` commands print them.

/** A title and rows below it; nothing if there are no rows. */
export function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...columns(rows).map((line) => `  ${line}`)];
}

/** Every row has the same number of cells. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
}
