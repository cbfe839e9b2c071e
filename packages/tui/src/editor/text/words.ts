// Words, as the keys that move by words see them.

import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import { nextBoundary, previousBoundary } from "./graphemes.ts";

const WORD = /^[\p{L}\p{N}\p{M}_]/u;
const SPACE = /^\s/u;

/** The end of the next word. */
export function wordRight(buffer: TextBuffer, from: TextPoint): TextPoint {
  return right(
    buffer,
    right(buffer, from, (grapheme) => !WORD.test(grapheme)),
    (grapheme) => WORD.test(grapheme),
    true,
  );
}

/** The start of the word before. */
export function wordLeft(buffer: TextBuffer, from: TextPoint): TextPoint {
  return left(
    buffer,
    left(buffer, from, (grapheme) => !WORD.test(grapheme)),
    (grapheme) => WORD.test(grapheme),
    true,
  );
}

/** The start of what was typed after the last space, as Ctrl+W removes it. */
export function argumentLeft(buffer: TextBuffer, from: TextPoint): TextPoint {
  return left(
    buffer,
    left(buffer, from, (grapheme) => SPACE.test(grapheme)),
    (grapheme) => !SPACE.test(grapheme),
    true,
  );
}

type Test = (grapheme: string) => boolean;

function right(buffer: TextBuffer, from: TextPoint, passes: Test, inLine = false): TextPoint {
  let { line, offset } = from;
  for (;;) {
    const text = buffer.lineText(line);
    while (offset < text.length) {
      const next = nextBoundary(text, offset);
      if (!passes(text.slice(offset, next))) return { line, offset };
      offset = next;
    }
    if (inLine || line + 1 >= buffer.lines.length) return { line, offset };
    line += 1;
    offset = 0;
  }
}

function left(buffer: TextBuffer, from: TextPoint, passes: Test, inLine = false): TextPoint {
  let { line, offset } = from;
  for (;;) {
    const text = buffer.lineText(line);
    while (offset > 0) {
      const previous = previousBoundary(text, offset);
      if (!passes(text.slice(previous, offset))) return { line, offset };
      offset = previous;
    }
    if (inLine || line === 0) return { line, offset };
    line -= 1;
    offset = buffer.lineText(line).length;
  }
}
