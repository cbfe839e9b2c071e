// What stands between commands: spaces, comments, newlines, and the here-documents that begin after a newline.

import { fail, note, readApart, sees, take, type Reader } from "./reader.ts";
import { readTemplate } from "./read-word.ts";

/** Spaces, continued lines, and a comment up to the end of its line. Only to be called where a word could begin. */
export function skipBlanks(reader: Reader): void {
  const before = reader.at;
  take(reader, /(?:[ \t]|\\\n)+/y);
  const apart = reader.at > before || before === 0 || /[\s;&|()]/.test(reader.source[before - 1]!);
  if (!sees(reader, /#/y)) return;
  // To bash a sign behind a word or a quote belongs to it.
  if (!apart) fail("a comment begins inside a word");
  take(reader, /[^\n]*/y);
}

/** The same, and newlines. */
export function skipLines(reader: Reader): void {
  for (skipBlanks(reader); reader.source[reader.at] === "\n"; skipBlanks(reader)) {
    reader.at++;
    const pending = reader.pending;
    reader.pending = [];
    for (const text of pending) {
      const body = bodyOf(reader, text);
      note(reader, "here-document", body);
      if (!text.quoted) readApart(reader, body, readTemplate);
    }
  }
}

/** A mark whose quotes are closed and in which nothing would be expanded: about others bash and we may disagree. */
const MARK = /(?:[^\s'"\\`$()<>;&|]|\\[^\n]|'[^'\n]*'|"[^"\\`$\n]*")+(?=[ \t\n;&|()<>]|$)/y;

export function readHereDocument(reader: Reader, operator: string): string {
  const mark = take(reader, MARK) ?? fail("the mark of a here-document could not be read");
  const delimiter = mark.replace(/\\(.)|'([^']*)'|"([^"]*)"/g, (_, ...parts: (string | undefined)[]) =>
    parts.slice(0, 3).join(""),
  );
  reader.pending.push({ delimiter, quoted: delimiter !== mark, stripsTabs: operator === "<<-" });
  return operator + mark;
}

/** The lines up to the mark. In a text with expansions, a backslash at the end of a line joins it with the next. */
function bodyOf(reader: Reader, { delimiter, quoted, stripsTabs }: Reader["pending"][number]): string {
  const { source } = reader;
  const start = reader.at;
  let continued = false;
  while (reader.at < source.length) {
    const from = reader.at;
    const line = take(reader, /[^\n]*/y)!;
    const isMark = (stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter;
    if (isMark && !continued) return source.slice(start, from);
    if (isMark) fail("the mark of a here-document could not be read");
    continued = !quoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (reader.at < source.length) reader.at++;
  }
  return fail("a here-document has no end");
}
