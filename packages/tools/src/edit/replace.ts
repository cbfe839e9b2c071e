// Find and replace. Matches on LF text but replaces in the text as stored, so other lines keep their own endings. Pure.

import { lfOffsets, toLf, withEnding } from "../text-file/line-endings.ts";
import type { TextFile } from "../text-file/text-file.ts";
import { curlQuotesLike, straightenQuotes } from "./quotes.ts";

export interface Matches {
  /** Offsets in the LF text. */
  readonly starts: readonly number[];
  readonly length: number;
  /** Found only after straightening quotes. */
  readonly isCurly: boolean;
}

/** All occurrences, left to right, without overlaps. */
export function findMatches(lf: string, wanted: string): Matches {
  const exact = startsOf(lf, wanted);
  if (exact.length > 0) return { starts: exact, length: wanted.length, isCurly: false };

  const plain = toLf(wanted);
  const inLf = plain === wanted ? [] : startsOf(lf, plain);
  if (inLf.length > 0) return { starts: inLf, length: plain.length, isCurly: false };

  const straight = straightenQuotes(plain);
  if (!/['"]/.test(straight)) return { starts: [], length: 0, isCurly: false };
  return { starts: startsOf(straightenQuotes(lf), straight), length: straight.length, isCurly: true };
}

/** The stored text with every match replaced. */
export function replaceMatches(file: TextFile, { starts, length, isCurly }: Matches, newString: string): string {
  const replacement = toLf(newString);
  const stored = lfOffsets(file.text);
  const pieces: string[] = [];
  let at = 0;
  for (const start of starts) {
    const from = stored(start);
    const to = stored(start + length);
    const found = isCurly ? file.lf.slice(start, start + length) : "";
    pieces.push(
      file.text.slice(at, from),
      withEnding(isCurly ? curlQuotesLike(found, replacement) : replacement, file.ending),
    );
    at = to;
  }
  pieces.push(file.text.slice(at));
  return pieces.join("");
}

function startsOf(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

/** The model reads tags of reminders in a file as `&lt;…`, and gives them back so. */
export function withReminderTags(text: string): string {
  return text.replace(/&lt;(?=[\s/]*system-reminder)/gi, "<");
}
