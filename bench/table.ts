// Formats measurements as a table. Pure.

/** One line of the table: a measurement and its floor. */
export interface Row {
  readonly what: string;
  readonly unit: "ms" | "s" | "MB" | "KB" | "×" | "/s";
  readonly samples: readonly number[];
  /** Absent or empty if there is no floor. */
  readonly floor?: readonly number[];
  /** What the floor is, if not the floor program. */
  readonly against?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function renderTable(rows: readonly Row[]): string {
  const cells = [
    ["", "keelson", "range", "floor", "× floor", ""],
    ...rows.map((row) => {
      const own = median(row.samples);
      const floor = row.floor?.length ? median(row.floor) : undefined;
      return [
        row.what,
        `${show(own)} ${row.unit}`,
        row.samples.length > 1 ? `${show(Math.min(...row.samples))}–${show(Math.max(...row.samples))}` : "",
        floor === undefined ? "" : `${show(floor)} ${row.unit}`,
        floor ? (own / floor).toFixed(own / floor < 10 ? 1 : 0) : "",
        row.against ?? "",
      ];
    }),
  ];
  return renderCells(cells, 5);
}

/** Programs side by side: the median, the range, and the median as a multiple of that of the first program. */
export function renderComparison(measured: ReadonlyMap<string, readonly Row[]>): string {
  const [first = [], ...others] = measured.values();
  const named = [...measured.keys()].flatMap((path, i) => [path, "range", ...(i > 0 ? ["×"] : [])]);
  const lines = first.map((row) => {
    const samples = [first, ...others].map((rows) => rows.find(({ what }) => what === row.what)?.samples ?? []);
    const own = median(row.samples);
    const cellsOf = (values: readonly number[], i: number) => [
      `${show(median(values))} ${row.unit}`,
      `${show(Math.min(...values))}–${show(Math.max(...values))}`,
      ...(i > 0 ? [(median(values) / own).toFixed(2)] : []),
    ];
    return [row.what, ...samples.flatMap(cellsOf)];
  });
  return renderCells([["", ...named], ...lines], named.length + 1);
}

/** The cells of the columns from the second to the one before `left` are aligned to the right. */
function renderCells(cells: readonly (readonly string[])[], left: number): string {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => Bun.stringWidth(line[column]!))));
  return cells
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column]!, column > 0 && column < left))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function show(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

function pad(text: string, width: number, right: boolean): string {
  const space = " ".repeat(width - Bun.stringWidth(text));
  return right ? space + text : text + space;
}
