// Wrapping of text in which every character takes one column. Most text is like that, and its rows are found with
// searches instead of word by word.

import type { StyledText } from "./styled-text.ts";

/** Every character takes one column. */
export const ASCII = /^[\n\x20-\x7e]*$/;

/** Rows of at most `columns`, broken as `wrapWords` breaks them. `text` is that of all pieces. */
export function wrapAscii(pieces: readonly StyledText[], text: string, columns: number): StyledText[][] {
  return cutRows(pieces, asciiRows(text, columns));
}

/** Begin and end of each row of such a text, one after the other. */
function asciiRows(text: string, columns: number): number[] {
  const ends: number[] = [];
  for (let from = 0, end = 0; end !== -1; from = end + 1) {
    end = text.indexOf("\n", from);
    addAsciiLine(text, from, end === -1 ? text.length : end, columns, ends);
  }
  return ends;
}

function addAsciiLine(text: string, from: number, to: number, columns: number, ends: number[]): void {
  let start = from;
  const end = withoutSpaces(text, from, to);
  // Spaces at the start of a line are kept if a word is behind them, those at a break are not.
  let word = end - start > columns ? nextWord(text, start) : start;
  while (end - start > columns) {
    const limit = start + columns;
    const space = text.lastIndexOf(" ", limit);
    if (space >= word) {
      ends.push(start, withoutSpaces(text, start, space));
      start = word = nextWord(text, space);
    } else if (word > start) start = word;
    else {
      ends.push(start, limit);
      start = word = limit;
    }
  }
  ends.push(start, Math.max(start, end));
}

function withoutSpaces(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) === SPACE) end--;
  return end;
}

function nextWord(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  return at;
}

/** The parts of the pieces that are in each row. `ends`: where the rows begin and end in the text of all pieces. */
function cutRows(pieces: readonly StyledText[], ends: readonly number[]): StyledText[][] {
  const rows: StyledText[][] = [];
  let index = 0;
  let offset = 0;
  for (let at = 0; at < ends.length; at += 2) {
    const start = ends[at]!;
    const end = ends[at + 1]!;
    const row: StyledText[] = [];
    for (; index < pieces.length; index++) {
      const piece = pieces[index]!;
      const from = Math.max(0, start - offset);
      const to = Math.min(piece.text.length, end - offset);
      if (from === 0 && to === piece.text.length && to > 0) row.push(piece);
      else if (from < to) row.push({ text: piece.text.slice(from, to), styles: piece.styles, url: piece.url });
      if (offset + piece.text.length > end) break;
      offset += piece.text.length;
    }
    rows.push(row);
  }
  return rows;
}

const SPACE = 0x20;
