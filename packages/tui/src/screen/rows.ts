// Cutting and wrapping painted text by what it takes on the screen.

export function width(text: string): number {
  return Bun.stringWidth(text);
}

/** Rows of at most `columns`, broken at words where possible. Leading spaces are kept. Styles are closed in each row. */
export function wrap(text: string, columns: number): string[] {
  return Bun.wrapAnsi(text, Math.max(1, columns), { hard: true, wordWrap: true, trim: false }).split("\n");
}

/** The first columns of a row, with `…` at the end if something was cut off. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  return columns < 1 ? "" : `${Bun.sliceAnsi(text, 0, columns - 1)}…`;
}
