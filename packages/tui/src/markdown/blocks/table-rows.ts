// The rows of a table as text: cells, and the row of dashes that makes the line above it a header.

export type Alignment = "left" | "right" | "center";

/** The alignments if the line is a row of dashes. */
export function delimiterRow(line: string): readonly Alignment[] | undefined {
  const first = line.trimStart()[0];
  if ((first !== "|" && first !== "-" && first !== ":") || !line.includes("-")) return undefined;
  if (!/^[\s|:-]+$/.test(line)) return undefined;
  const cells = splitCells(line, { code: false });
  const alignments: Alignment[] = [];
  for (const cell of cells) {
    if (!/^:?-+:?$/.test(cell)) return undefined;
    alignments.push(cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left");
  }
  // A single column needs a bar, or every underlined heading would be a table.
  return alignments.length > 1 || line.includes("|") ? alignments : undefined;
}

/** The cells of the line above a row of dashes, if it has as many columns. */
export function headerCells(line: string, columns: number): string[] | undefined {
  return [false, true].map((code) => splitCells(line, { code })).find((cells) => cells.length === columns);
}

/** The cells of a row. Cells beyond the last column are kept in it; missing ones are empty. */
export function tableCells(line: string, columns: number): string[] {
  let cells = splitCells(line, { code: false });
  if (cells.length > columns) {
    const others = splitCells(line, { code: true });
    if (others.length === columns) cells = others;
  }
  if (cells.length > columns) cells = [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
  while (cells.length < columns) cells.push("");
  return cells;
}

/** With `code`, bars between backticks do not separate cells. */
function splitCells(line: string, options: { readonly code: boolean }): string[] {
  const cells: string[] = [];
  let cell = "";
  let inCode = false;
  let from = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (character === "\\" && line[at + 1] === "|") {
      cell += `${line.slice(from, at)}|`;
      from = at + 2;
      at++;
    } else if (character === "`") inCode = options.code && !inCode;
    else if (character === "|" && !inCode) {
      cells.push((cell + line.slice(from, at)).trim());
      cell = "";
      from = at + 1;
    }
  }
  cells.push((cell + line.slice(from)).trim());
  if (cells[0] === "" && cells.length > 1) cells.shift();
  if (cells.at(-1) === "" && cells.length > 1) cells.pop();
  return cells;
}
