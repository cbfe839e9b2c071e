// Splits a single word into its pieces, from its text.

import type { Piece } from "./read-expansion.ts";
import { readerOf } from "./read-script.ts";
import { readWord } from "./read-word.ts";
import { UnreadError } from "./reader.ts";

export type { Piece } from "./read-expansion.ts";

/** Undefined if the text is not one word. Parentheses of a pattern after `[[ … =~` belong to the word. */
export function piecesOf(text: string): readonly Piece[] | undefined {
  if (text === "") return [];
  const reader = readerOf(text);
  try {
    const pieces = readWord(reader, (character) => !/[()|]/.test(character));
    return reader.at === text.length ? pieces : undefined;
  } catch (error) {
    if (error instanceof UnreadError) return undefined;
    throw error;
  }
}
