// Spaces, comments and newlines between commands, and the here-documents that start after a newline.

import { cannotRead, note, readApart, sees, take, type Reader } from "./reader.ts";
import { readTemplate } from "./read-word.ts";

/** Skips spaces, line continuations and a comment. Call it only where a word could start. */
export function skipBlanks(reader: Reader): void {
  const before = reader.at;
  take(reader, /(?:[ \t]|\\\n)+/y);
  const apart = reader.at > before || before === 0 || /[\s;&|()]/.test(reader.source[before - 1]!);
  if (!sees(reader, /#/y)) return;
  // After a word or a quote, bash reads `#` as part of the word.
  if (!apart) cannotRead("a comment starts inside a word");
  take(reader, /[^\n]*/y);
}

/** Also skips newlines, and reads pending here-documents. */
export function skipLines(reader: Reader): void {
  for (skipBlanks(reader); reader.source[reader.at] === "\n"; skipBlanks(reader)) {
    reader.at++;
    const pending = reader.pending;
    reader.pending = [];
    for (const [index, text] of pending.entries()) {
      if (index > 0) take(reader, /\n/y);
      const body = bodyOf(reader, text);
      note(reader, "here-document", body);
      if (!text.quoted) readApart(reader, body, readTemplate);
    }
  }
}

/** Delimiters that all shells read the same way: quotes closed, nothing that looks like an expansion. */
const DELIMITER = /(?:[^\s'"\\`$()<>;&|]|\\[^\n]|'[^'\n]*'|"[^"\\`$\n]*")+(?=[ \t\n;&|()<>]|$)/y;

export function readHereDocument(reader: Reader, operator: string): string {
  const written = take(reader, DELIMITER) ?? cannotRead("the delimiter of a here-document could not be read");
  const delimiter = written.replace(/\\(.)|'([^']*)'|"([^"]*)"/g, (_, ...parts: (string | undefined)[]) =>
    parts.slice(0, 3).join(""),
  );
  reader.pending.push({ delimiter, quoted: delimiter !== written, stripsTabs: operator === "<<-" });
  return operator + written;
}

/** The lines up to the delimiter. If the delimiter is unquoted, a trailing backslash joins a line with the next. */
function bodyOf(reader: Reader, { delimiter, quoted, stripsTabs }: Reader["pending"][number]): string {
  const { source } = reader;
  const start = reader.at;
  let continued = false;
  while (reader.at < source.length) {
    const from = reader.at;
    const line = take(reader, /[^\n]*/y)!;
    const isDelimiter = (stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter;
    if (isDelimiter && !continued) return source.slice(start, from);
    if (isDelimiter) cannotRead("the delimiter of a here-document could not be read");
    continued = !quoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (reader.at < source.length) reader.at++;
  }
  return cannotRead("a here-document has no end");
}
