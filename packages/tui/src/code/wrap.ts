// Wrapping of styled text by what it takes on the screen. Rows are cut out of the pieces by position, so a row costs what
// it is long, and a line of any length is wrapped in one pass.

import { graphemes, width } from "../screen/rows.ts";
import type { StyledText } from "./styled-text.ts";
import { ASCII, wrapAscii } from "./wrap-ascii.ts";

/** Rows of at most `columns`, broken at spaces, between CJK characters, and inside words that are longer than a row. */
export function wrapWords(pieces: readonly StyledText[], columns: number): StyledText[][] {
  const text = pieces.length === 1 ? pieces[0]!.text : pieces.map((piece) => piece.text).join("");
  if (ASCII.test(text)) return wrapAscii(pieces, text, Math.max(1, columns));
  const wrapper = new Wrapper(pieces, Math.max(1, columns));
  for (const [index, { text }] of pieces.entries()) {
    let at = 0;
    while (at < text.length) {
      const from = at;
      const code = text.charCodeAt(at);
      if (code === NEWLINE) {
        wrapper.newline(index, at);
        at++;
      } else if (code === SPACE) {
        while (text.charCodeAt(at) === SPACE) at++;
        wrapper.space(index, from, at - from);
      } else if (isIdeograph(code)) {
        wrapper.endWord(index, at);
        at++;
        while (isClosingMark(text.charCodeAt(at))) at++;
        wrapper.word(index, from, 2 * (at - from));
        wrapper.endWord(index, at);
      } else {
        at = wordEnd(text, at);
        wrapper.word(index, from, textWidth(text, from, at));
      }
    }
  }
  return wrapper.end();
}

/** Rows of at most `columns`, broken anywhere, so that code keeps all its spaces. */
export function wrapCode(pieces: readonly StyledText[], columns: number): StyledText[][] {
  if (fits(pieces, columns)) return [pieces.filter(({ text }) => text !== "")];
  const wrapper = new Wrapper(pieces, Math.max(1, columns));
  wrapper.chop({ piece: 0, at: 0 }, { piece: pieces.length, at: 0 });
  return wrapper.rows;
}

function fits(pieces: readonly StyledText[], columns: number): boolean {
  let length = 0;
  for (const { text } of pieces) length += text.length;
  return length <= columns && pieces.every(({ text }) => ASCII.test(text));
}

const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Characters two columns wide that a row may be broken before and after. */
function isIdeograph(code: number): boolean {
  if (code < 0x2e80) return false;
  return (
    code <= 0x2fff ||
    (code >= 0x3041 && code <= 0x31bf) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}

/** Marks that do not start a row stay with the character before them. All are two columns wide. */
function isClosingMark(code: number): boolean {
  return code >= 0x3001 && CLOSING.has(code);
}

const CLOSING = new Set(Array.from("、。〉》」』】！），．：；？", (character) => character.charCodeAt(0)));

function wordEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === NEWLINE || isIdeograph(code)) break;
  }
  return at;
}

function textWidth(text: string, from: number, to: number): number {
  return isAscii(text, from, to) ? to - from : width(text.slice(from, to));
}

function isAscii(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

interface Place {
  readonly piece: number;
  readonly at: number;
}

class Wrapper {
  readonly rows: StyledText[][] = [];
  readonly #pieces: readonly StyledText[];
  readonly #columns: number;
  #rowStart: Place = { piece: 0, at: 0 };
  #rowEnd: Place = { piece: 0, at: 0 };
  #used = 0;
  #spaces = 0;
  #wordStart: Place | undefined;
  #wordWidth = 0;
  /** Spaces at the start of a line are kept, those at a break are not. */
  #lineStart = true;

  constructor(pieces: readonly StyledText[], columns: number) {
    this.#pieces = pieces;
    this.#columns = columns;
  }

  /** A part of a word, which may continue in the next piece. */
  word(piece: number, from: number, cells: number): void {
    this.#wordStart ??= { piece, at: from };
    this.#wordWidth += cells;
  }

  space(piece: number, from: number, cells: number): void {
    this.endWord(piece, from);
    this.#spaces += cells;
  }

  newline(piece: number, at: number): void {
    this.endWord(piece, at);
    this.#finishRow(this.#rowEnd);
    this.#startRow({ piece, at: at + 1 });
    this.#lineStart = true;
  }

  endWord(piece: number, at: number): void {
    const start = this.#wordStart;
    if (!start) return;
    const end = { piece, at };
    const spaces = this.#used > 0 || this.#lineStart ? this.#spaces : 0;
    if (this.#used + spaces + this.#wordWidth <= this.#columns) {
      if (this.#used === 0 && !this.#lineStart) this.#rowStart = start;
      this.#used += spaces + this.#wordWidth;
      this.#rowEnd = end;
    } else {
      if (this.#used > 0) this.#finishRow(this.#rowEnd);
      this.#startRow(start);
      if (this.#wordWidth <= this.#columns) {
        this.#used = this.#wordWidth;
        this.#rowEnd = end;
      } else this.#chopInto(start, end);
    }
    this.#lineStart = false;
    this.#spaces = 0;
    this.#wordStart = undefined;
    this.#wordWidth = 0;
  }

  end(): StyledText[][] {
    this.endWord(this.#pieces.length, 0);
    this.#finishRow(this.#rowEnd);
    return this.rows;
  }

  /** Breaks anywhere between two places; the last row is finished, too. */
  chop(from: Place, to: Place): void {
    this.#chopInto(from, to);
    this.#finishRow(to);
  }

  #chopInto(from: Place, to: Place): void {
    for (let piece = from.piece; piece < this.#pieces.length && piece <= to.piece; piece++) {
      const { text } = this.#pieces[piece]!;
      const start = piece === from.piece ? from.at : 0;
      const end = piece === to.piece ? to.at : text.length;
      if (isAscii(text, start, end)) this.#chopAscii(piece, start, end);
      else this.#chopGraphemes(piece, text.slice(start, end), start);
    }
    this.#rowEnd = to;
  }

  #chopAscii(piece: number, start: number, end: number): void {
    for (let at = start; at < end;) {
      if (this.#used >= this.#columns) this.#breakAt({ piece, at });
      const count = Math.min(end - at, this.#columns - this.#used);
      this.#used += count;
      at += count;
    }
  }

  #chopGraphemes(piece: number, text: string, offset: number): void {
    let at = offset;
    for (const [grapheme, cells] of graphemes(text)) {
      if (this.#used + cells > this.#columns && this.#used > 0) this.#breakAt({ piece, at });
      this.#used += cells;
      at += grapheme.length;
    }
  }

  #breakAt(place: Place): void {
    this.#finishRow(place);
    this.#startRow(place);
  }

  #startRow(place: Place): void {
    this.#rowStart = place;
    this.#rowEnd = place;
    this.#used = 0;
    this.#spaces = 0;
  }

  #finishRow(end: Place): void {
    const start = this.#rowStart;
    const row: StyledText[] = [];
    for (let index = start.piece; index <= end.piece && index < this.#pieces.length; index++) {
      const piece = this.#pieces[index]!;
      const from = index === start.piece ? start.at : 0;
      const to = index === end.piece ? end.at : piece.text.length;
      if (to <= from) continue;
      const isWhole = from === 0 && to === piece.text.length;
      row.push(isWhole ? piece : { text: piece.text.slice(from, to), styles: piece.styles, url: piece.url });
    }
    this.rows.push(row);
  }
}
