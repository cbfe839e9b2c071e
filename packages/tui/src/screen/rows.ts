// Cutting and wrapping painted text by what it takes on the screen.

import { OpenStyles } from "./live/open-styles.ts";

const TAB = 4;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\x20-\x7e]*$/;
/** A sequence made by the theme: SGR, or a hyperlink. Then text until the next one. */
// oxlint-disable-next-line no-control-regex
const PIECES = /\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|[\x20-\x7e]+|[^\x1b\x20-\x7e]+|\x1b/g;

export function width(text: string): number {
  return Bun.stringWidth(text);
}

/**
 * Rows of at most `columns`, broken at words where possible. Leading spaces are kept, tabs are expanded. Styles and
 * links are closed in each row. Nothing is dropped but a space where a row was broken.
 */
export function wrap(text: string, columns: number): string[] {
  const most = Math.max(1, columns);
  const open = new OpenStyles();
  const rows: string[] = [];
  for (const line of text.split("\n")) {
    if (open.isEmpty && ASCII.test(line)) wrapPlain(line, most, rows);
    else wrapPainted(line, most, open, rows);
  }
  return rows;
}

/** The first columns of a row, with `…` at the end if something was cut off. */
export function fit(text: string, columns: number): string {
  if (columns < 1) return "";
  if (width(text) <= columns) return text;
  return `${slice(text, columns - 1)}…`;
}

function wrapPlain(line: string, columns: number, rows: string[]): void {
  let start = 0;
  const indent = /^ */.exec(line)![0].length;
  while (line.length - start > columns) {
    const end = start + columns;
    if (line[end] === " ") {
      rows.push(line.slice(start, end));
      start = end + 1;
      continue;
    }
    const space = line.lastIndexOf(" ", end - 1);
    const at = space >= start && (start > 0 || space >= indent) ? space + 1 : end;
    rows.push(line.slice(start, at));
    start = at;
  }
  if (start < line.length || start === 0) rows.push(line.slice(start));
}

/** A row under construction: its text with sequences, and the last place where it may be broken. */
interface Row {
  text: string;
  width: number;
  /** Whether there is anything but spaces in it. */
  hasWord: boolean;
  hasText: boolean;
  /** The row up to its last space, and what was open there. Absent if there is none. */
  breakAt?: { readonly length: number; readonly width: number; readonly open: OpenStyles };
}

function wrapPainted(line: string, columns: number, open: OpenStyles, rows: string[]): void {
  let row: Row = { text: open.opening(), width: 0, hasWord: false, hasText: false };
  let continued = false;
  const next = () => {
    rows.push(row.text + open.closing());
    row = { text: open.opening(), width: 0, hasWord: false, hasText: false };
    continued = true;
  };
  const add = (text: string, size: number) => {
    if (text === " ") {
      if (row.width + 1 > columns) return next();
      row.text += text;
      row.width += 1;
      row.hasText = true;
      if (row.hasWord || continued) markBreak(row, open);
      return;
    }
    const shown = size > columns ? "\ufffd" : text;
    const taken = Math.min(size, columns);
    if (row.width + taken > columns) {
      const at = row.breakAt;
      if (at) {
        rows.push(row.text.slice(0, at.length) + at.open.closing());
        row = {
          text: at.open.opening() + row.text.slice(at.length),
          width: row.width - at.width,
          hasWord: true,
          hasText: true,
        };
        continued = true;
        if (row.width + taken > columns) next();
      } else next();
    }
    row.text += shown;
    row.width += taken;
    row.hasWord = row.hasText = true;
    // Text in wide characters has no spaces; it may be broken between any two.
    if (taken === 2) markBreak(row, open);
  };
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece[0] === "\x1b") {
      if (piece.length > 1) {
        open.take(piece);
        row.text += piece;
      }
    } else if (ASCII.test(piece)) {
      addAscii(piece, row, columns, open, add, () => row);
    } else {
      for (const [grapheme, size] of graphemes(piece)) {
        if (grapheme === "\t") for (let left = TAB - (row.width % TAB); left > 0; left--) add(" ", 1);
        else add(grapheme, size);
      }
    }
  }
  if (row.hasText || !continued) rows.push(row.text + open.closing());
}

/** Whole words at a time while they fit. */
function addAscii(
  piece: string,
  first: Row,
  columns: number,
  open: OpenStyles,
  add: (text: string, size: number) => void,
  current: () => Row,
): void {
  let row = first;
  if (row.width + piece.length <= columns && !piece.includes(" ")) {
    row.text += piece;
    row.width += piece.length;
    row.hasWord = row.hasText = true;
    return;
  }
  for (const [word] of piece.matchAll(/ |[^ ]+/g)) {
    row = current();
    if (word !== " " && row.width + word.length <= columns) {
      row.text += word;
      row.width += word.length;
      row.hasWord = row.hasText = true;
    } else if (word === " ") add(" ", 1);
    else for (const character of word) add(character, 1);
  }
}

function markBreak(row: Row, open: OpenStyles): void {
  row.breakAt = { length: row.text.length, width: row.width, open: open.copy() };
}

/**
 * A flag, an emoji with what is joined to it, or a character with its marks. Close to the Unicode rules for all text
 * that terminals can show, and many times faster than Intl.Segmenter.
 */
const GRAPHEME =
  /\p{RI}{2}|\p{ExtPict}[\p{EMod}\p{M}]*(?:\u200d\p{ExtPict}[\p{EMod}\p{M}]*)*[\p{M}\u200b-\u200d]*|[^][\p{M}\u200b-\u200d\u2060-\u2064]*/gu;

/** What is seen as one character, and its columns. */
export function* graphemes(text: string): Generator<readonly [text: string, width: number]> {
  for (const [grapheme] of text.matchAll(GRAPHEME)) yield [grapheme, Bun.stringWidth(grapheme)];
}

/** The first columns of painted text, with what is open closed. */
function slice(text: string, columns: number): string {
  const open = new OpenStyles();
  let out = "";
  let left = columns;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece[0] === "\x1b") {
      if (piece.length > 1) {
        open.take(piece);
        out += piece;
      }
      continue;
    }
    for (const [grapheme, size] of ASCII.test(piece) ? asciiCells(piece, left) : graphemes(piece)) {
      if (size > left) return out + open.closing();
      out += grapheme;
      left -= size;
    }
  }
  return out + open.closing();
}

/** As one piece if it fits, else what fits and then something that does not. */
function asciiCells(piece: string, left: number): readonly (readonly [string, number])[] {
  if (piece.length <= left) return [[piece, piece.length]];
  return [
    [piece.slice(0, left), left],
    [piece.slice(left), piece.length - left],
  ];
}
