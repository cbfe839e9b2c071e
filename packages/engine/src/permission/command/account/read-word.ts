// Reads one word: quotes, escapes and expansions. Refuses what bash might read differently.

import {
  joinedPiece,
  quotedPiece,
  readBackticks,
  readDollar,
  readDouble,
  readSingle,
  substitution,
  type Piece,
} from "./read-expansion.ts";
import { cannotRead, sees, take, type Reader } from "./reader.ts";

const BREAK = /[ \t\n;&|()<>]/;
const PLAIN = /[^ \t\n;&|()<>'"\\$`]+/y;
const MOST_BRACES = 100;

/** Reads to the end of the word. `ends` can keep characters that usually end a word, for patterns in `[[`. */
export function readWord(reader: Reader, ends: (character: string) => boolean = always): Piece[] {
  const { source } = reader;
  const start = reader.at;
  const pieces: Piece[] = [];
  let braces = 0;
  while (reader.at < source.length) {
    const character = source[reader.at]!;
    if (BREAK.test(character)) {
      if (sees(reader, /[<>]\(/y)) {
        if (reader.at > start) cannotRead("a process substitution is part of a longer word");
        pieces.push(processSubstitution(reader));
        break;
      }
      if (sees(reader, /(?<=[?*+@!])\(/y) && reader.at > start) pieces.push(readAlternatives(reader));
      else if (ends(character)) break;
      else pieces.push({ type: "text", value: source[reader.at++]!, quoted: true });
      continue;
    }
    const piece = readPiece(reader);
    if (piece === undefined) continue;
    pieces.push(piece);
    // The parser searches for the end of each brace, so its time is quadratic in their number.
    if (piece.type === "text" && !piece.quoted) braces += piece.value.split("{").length - 1;
    if (braces > MOST_BRACES) cannotRead("a word has too many braces");
  }
  if (reader.at === start) cannotRead("a word is missing");
  if (reader.pending.length > 0 && source.slice(start, reader.at).includes("\n"))
    cannotRead("a word continues past the line where a here-document starts");
  return pieces;
}

const always = () => true;

/** `@(a|b)` is a pattern or a syntax error, depending on `extglob`, but never a command. */
function readAlternatives(reader: Reader): Piece {
  const start = reader.at;
  let open = 0;
  do {
    if (take(reader, /\(/y) !== undefined) open++;
    else if (take(reader, /\)/y) !== undefined) open--;
    else if (take(reader, /\|/y) === undefined) {
      if (reader.at >= reader.source.length || sees(reader, /[ \t\n;&<>]/y)) cannotRead("a bracket could not be read");
      readPiece(reader);
    }
  } while (open > 0);
  return { type: "expansion", text: reader.source.slice(start, reader.at) };
}

/** Undefined for a line continuation. */
function readPiece(reader: Reader): Piece | undefined {
  switch (reader.source[reader.at]) {
    case "'":
      return { type: "text", value: readSingle(reader), quoted: true };
    case '"':
      return joinedPiece(readDouble(reader));
    case "\\":
      return readEscape(reader);
    case "$":
      return readDollar(reader, { quoted: false });
    case "`":
      return readBackticks(reader, { quoted: false });
    default:
      return { type: "text", value: take(reader, PLAIN)!, quoted: false };
  }
}

function readEscape(reader: Reader): Piece | undefined {
  const { source, at } = reader;
  const next = source[at + 1];
  if (next === undefined) cannotRead("it ends in a backslash");
  reader.at += 2;
  if (next !== "\n") return { type: "text", value: next, quoted: true };
  // Elsewhere it may split an operator or an expansion, which bash joins again.
  const plain = (character: string | undefined) => character !== undefined && /[\w./,:%+-]/.test(character);
  const after = source[at + 2];
  const parts = after === undefined || /[ \t\n]/.test(after);
  if (!parts && !(plain(source[at - 1]) && plain(after)))
    cannotRead("a line continuation splits an operator or expansion");
  return undefined;
}

function processSubstitution(reader: Reader): Piece {
  const piece = substitution(reader, 2);
  const next = reader.source[reader.at];
  if (next !== undefined && !BREAK.test(next)) cannotRead("a process substitution is part of a longer word");
  return piece;
}

/** The body of a here-document with expansions. */
export function readTemplate(reader: Reader): void {
  while (reader.at < reader.source.length) quotedPiece(reader, /[^\\$`]+/y, /[\\$`]/);
}
