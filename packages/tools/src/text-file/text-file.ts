// A text file with everything needed to write it back exactly: text, encoding, byte order mark and line endings.

import { decode, type Encoding } from "./encoding.ts";
import { lineEndingOf, toLf, type LineEnding } from "./line-endings.ts";

export interface TextFile {
  /** As stored, without the byte order mark. */
  readonly text: string;
  /** As the model sees it. */
  readonly lf: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  readonly ending: LineEnding;
}

export const EMPTY_FILE: TextFile = { text: "", lf: "", encoding: "utf-8", bom: false, ending: "\n" };

export function toTextFile(bytes: Uint8Array): TextFile {
  const { text, encoding, bom } = decode(bytes);
  return { text, lf: toLf(text), encoding, bom, ending: lineEndingOf(text) };
}

// Tool output is stored in the transcript, where a line of many megabytes would slow down every resume.
const MAX_STORED_LENGTH = 1_000_000;

/** The text as stored in a tool's output; null if it is too long. */
export function storableText(text: string): string | null {
  return text.length > MAX_STORED_LENGTH ? null : text;
}
