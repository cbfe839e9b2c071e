// Where characters, as people see them, start and end, and what they take on the screen. Looks at a few characters
// around a place only: a draft may be a megabyte long.

import { cleanRow } from "../../screen/clean.ts";
import { width } from "../../screen/rows.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** How much is looked at in one go. Longer graphemes exist, but no one types them. */
const WINDOW = 64;

/** The columns of a code unit that never joins a neighbor of its kind; 0 if that takes a closer look. */
export function simpleWidth(code: number): 0 | 1 | 2 {
  if (code < 0x300) return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && code !== 0xad ? 1 : 0;
  // Greek and Cyrillic letters.
  if (code < 0x530) return (code >= 0x391 && code <= 0x3c9) || (code >= 0x400 && code <= 0x481) ? 1 : 0;
  const wide =
    (code >= 0x4e00 && code <= 0x9fff) || // Chinese characters
    (code >= 0xac00 && code <= 0xd7a3) || // Hangul
    (code >= 0x3041 && code <= 0x3096) || // Hiragana
    (code >= 0x30a1 && code <= 0x30fe) || // Katakana
    (code >= 0x3001 && code <= 0x3002) ||
    (code >= 0xff01 && code <= 0xff5e); // full-width forms
  return wide ? 2 : 0;
}

/** The graphemes of a part of a text, which starts at one. */
export function* graphemesFrom(text: string, start: number, end: number): Generator<string> {
  for (const { segment } of segmenter.segment(text.slice(start, end))) yield segment;
}

/** The end of the grapheme that starts here. */
export function nextBoundary(text: string, at: number): number {
  if (at + 1 >= text.length) return text.length;
  if (simpleWidth(text.charCodeAt(at)) && simpleWidth(text.charCodeAt(at + 1))) return at + 1;
  for (let size = WINDOW; ; size *= 4) {
    const [first] = segmenter.segment(text.slice(at, at + size));
    const length = first?.segment.length ?? 1;
    if (length < size || at + length >= text.length) return at + length;
  }
}

/** The start of the grapheme that ends here, or that this place is inside of. */
export function previousBoundary(text: string, at: number): number {
  if (at <= 1) return 0;
  if (simpleWidth(text.charCodeAt(at - 1)) && simpleWidth(text.charCodeAt(at - 2))) return at - 1;
  // Between two simple characters there is a boundary for sure.
  let start = at - 1;
  const limit = Math.max(0, at - WINDOW * 4);
  while (start > limit && !(simpleWidth(text.charCodeAt(start)) && simpleWidth(text.charCodeAt(start - 1)))) start -= 1;
  let boundary = start;
  for (const { index } of segmenter.segment(text.slice(start, at + WINDOW))) {
    if (start + index >= at) break;
    boundary = start + index;
  }
  return boundary;
}

/** The nearest boundary at or before a place. */
export function boundaryAt(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const start = previousBoundary(text, at);
  return nextBoundary(text, start) <= at ? at : start;
}

/** How a grapheme is shown. Control characters are shown as signs, tabs as spaces. */
export function shownGrapheme(grapheme: string): string {
  return grapheme.length === 1 && simpleWidth(grapheme.charCodeAt(0)) ? grapheme : cleanRow(grapheme);
}

export function graphemeWidth(grapheme: string): number {
  const simple = grapheme.length === 1 ? simpleWidth(grapheme.charCodeAt(0)) : 0;
  return simple || width(cleanRow(grapheme));
}
