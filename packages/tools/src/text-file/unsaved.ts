// The text of a file as an editor has it, beside what is on disk. Editors hide line endings, byte order marks and sometimes
// the last newline, so none of these alone makes a difference.

import { decode, encode } from "./encoding.ts";
import { toLf, withEnding } from "./line-endings.ts";
import { EMPTY_FILE, toTextFile } from "./text-file.ts";

/** The bytes that saving would write; undefined if there is nothing to save. `disk` is undefined if there is no file. */
export function unsavedBytes(disk: Uint8Array | undefined, shown: string): Uint8Array | undefined {
  const { lf, ending, encoding, bom } = disk === undefined ? EMPTY_FILE : toTextFile(disk);
  const text = withoutMark(shown);
  if (isSameText(lf, text)) return undefined;
  const ended = text.includes("\r\n") ? text : withEnding(text, ending);
  const bytes = encode(ended, encoding, bom);
  return bytes instanceof Uint8Array ? bytes : new TextEncoder().encode(ended);
}

/** These bytes as the editor shows text that it showed like this before. */
export function shownLike(shown: string, bytes: Uint8Array): string {
  const { text } = decode(bytes);
  const ended = shown.includes("\r\n") ? text : toLf(text);
  return shown.startsWith(MARK) ? MARK + ended : ended;
}

export const isSameText = (one: string, other: string): boolean => plain(one) === plain(other);

/** The same for the same text. Not cryptographic. */
export const shownTextKey = (text: string) => Bun.hash(plain(text));

export const diskTextKey = (disk: Uint8Array) => shownTextKey(toTextFile(disk).lf);

function plain(text: string): string {
  const lf = toLf(withoutMark(text));
  return lf.endsWith("\n") ? lf.slice(0, -1) : lf;
}

const MARK = "\ufeff";

const withoutMark = (text: string) => (text.startsWith(MARK) ? text.slice(1) : text);
