// A text file taken apart so that it can be put together again exactly: text, encoding, mark and line ends.

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

// Outputs are stored whole in the transcript, where a line of many megabytes would slow every later resume.
const MAX_STORED_LENGTH = 1_000_000;

/** A file's text for a tool's output; null when it is too long to be kept there. */
export function storableText(text: string): string | null {
  return text.length > MAX_STORED_LENGTH ? null : text;
}
