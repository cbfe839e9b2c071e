// Text with styles that are not painted yet. It is wrapped first and painted row by row, so that each row closes its own
// styles and links.

import { width } from "../screen/rows.ts";
import type { StyleName, Theme } from "../theme/theme.ts";

export interface StyledText {
  /** Clean. */
  readonly text: string;
  /** From the outside in. */
  readonly styles: readonly StyleName[];
  readonly url?: string | undefined;
}

/** One list for all text without a style: neighbours that share a list are painted at once. */
export const UNSTYLED: readonly StyleName[] = [];

export function paintStyled(pieces: readonly StyledText[], theme: Theme): string {
  let row = "";
  for (let at = 0; at < pieces.length; at++) {
    const { styles, url } = pieces[at]!;
    let painted = pieces[at]!.text;
    // Neighbours of the same style are painted at once: fewer bytes for the terminal.
    while (pieces[at + 1]?.styles === styles && pieces[at + 1]!.url === url) painted += pieces[++at]!.text;
    for (let outer = styles.length - 1; outer >= 0; outer--) painted = theme.paint(styles[outer]!, painted);
    row += url === undefined ? painted : theme.link(url, painted);
  }
  return row;
}

export function styledWidth(pieces: readonly StyledText[]): number {
  let total = 0;
  for (const { text } of pieces) total += width(text);
  return total;
}

/** Replaces tabs by spaces up to the next multiple of four columns. */
export function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  let column = 0;
  for (const part of line.split(/(\t)/)) {
    const text = part === "\t" ? " ".repeat(4 - (column % 4)) : part;
    out += text;
    column += width(text);
  }
  return out;
}
