// Characters in the place of others: `r`, `~`, and where INSERT begins for `I a A o O`.

import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import { firstNonBlank } from "./motions.ts";

export type GraphemeChange = (grapheme: string) => string;

/** Changes characters of the line from the cursor on. `stay`: the cursor ends on the last of them. */
export function overwrite(
  buffer: TextBuffer,
  count: number,
  change: GraphemeChange,
  { stay }: { readonly stay: boolean },
): void {
  const { cursor } = buffer;
  let to = cursor;
  for (let time = 0; time < count && to.offset < buffer.lineEnd().offset; time += 1) to = buffer.rightOf(to);
  buffer.replace(cursor, to, mapGraphemes(buffer.slice(cursor, to), change));
  if (stay) buffer.moveTo(buffer.cursor.offset > cursor.offset ? buffer.leftOf(buffer.cursor) : cursor);
}

/** The same for a range. The cursor ends where it begins. */
export function overwriteRange(buffer: TextBuffer, from: TextPoint, to: TextPoint, change: GraphemeChange): void {
  buffer.moveTo(from);
  buffer.replace(from, to, mapGraphemes(buffer.slice(from, to), change));
  buffer.moveTo(from);
}

/** Moves the cursor to where the text goes that is typed after `name`. */
export function moveToInsert(buffer: TextBuffer, name: string): void {
  const { line } = buffer.cursor;
  switch (name) {
    case "I":
      return buffer.moveTo(firstNonBlank(buffer, line));
    case "a":
      if (buffer.cursor.offset < buffer.lineEnd().offset) buffer.moveTo(buffer.rightOf(buffer.cursor));
      return;
    case "A":
      return buffer.moveTo(buffer.lineEnd());
    case "o":
      buffer.moveTo(buffer.lineEnd());
      return void buffer.insert("\n");
    case "O":
      buffer.moveTo(buffer.lineStart());
      buffer.insert("\n");
      return buffer.moveTo({ line, offset: 0 });
  }
}

export function swapCase(grapheme: string): string {
  const upper = grapheme.toUpperCase();
  return grapheme === upper ? grapheme.toLowerCase() : upper;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function mapGraphemes(text: string, change: GraphemeChange): string {
  return Array.from(segmenter.segment(text), ({ segment }) => (segment === "\n" ? segment : change(segment))).join("");
}
