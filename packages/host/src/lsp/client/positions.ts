// Positions in a text. We count UTF-16 units; a server may count bytes or characters instead. Pure.

import type { CodePosition, PositionEncoding } from "@keelson/protocol";

/** The text of a line without its end; undefined past the last line. */
export function lineAt(text: string, line: number): string | undefined {
  let start = 0;
  for (let at = 0; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? undefined : end).replace(/\r$/, "");
}

export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** From UTF-16 to the server's unit. A position past the end of the line is its end. */
export function toServer(
  line: string,
  { line: number, character }: CodePosition,
  encoding: PositionEncoding,
): CodePosition {
  const before = line.slice(0, character);
  switch (encoding) {
    case "utf-16":
      return { line: number, character: before.length };
    case "utf-8":
      return { line: number, character: Buffer.byteLength(before) };
    case "utf-32":
      return { line: number, character: [...before].length };
  }
}

const WORD = /[\p{L}\p{N}\p{M}_$]+/gu;

/** The word that a position is in, or directly after; empty if there is none. */
export function wordAt(line: string, character: number): string {
  for (const { 0: word, index } of line.slice(0, MAX_LINE).matchAll(WORD)) {
    if (index > character) break;
    if (character <= index + word.length) return word;
  }
  return "";
}

/** No one asks about a symbol in the middle of generated code without line breaks. */
const MAX_LINE = 10_000;
