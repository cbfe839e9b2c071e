// Simple commands: assignments, redirections and words.

import { readArithmetic } from "./read-expansion.ts";
import { readHereDocument, skipBlanks, skipLines } from "./read-space.ts";
import { expect, cannotRead, nested, note, sees, take, type Reader } from "./reader.ts";
import { readWord } from "./read-word.ts";

const DECLARES = new Set(["declare", "export", "local", "readonly", "typeset"]);
/** Reserved words that a line continuation could hide. */
const RESERVED =
  /^(?:if|then|elif|else|fi|do|done|esac|case|for|select|while|until|function|coproc|time|in|!|\{|\}|\[\[|\]\])$/;

export function readSimple(reader: Reader): void {
  const { source } = reader;
  const parts: string[] = [];
  let name: string | undefined;
  for (;;) {
    skipBlanks(reader);
    const start = reader.at;
    if (startsRedirection(reader)) {
      parts.push(readRedirection(reader));
      continue;
    }
    if (start >= source.length || sees(reader, /[\n;&|)]/y)) break;
    if (source[start] === "(") cannotRead("a bracket could not be read");
    if (name === undefined && sees(reader, /[A-Za-z_]\w*(?:\+?=|\[)/y)) {
      if (!readAssignment(reader)) name = source.slice(start, reader.at);
    } else if (name !== undefined && DECLARES.has(name) && sees(reader, /[A-Za-z_]\w*\+?=\(/y)) {
      readAssignment(reader);
    } else {
      readWord(reader);
      name ??= source.slice(start, reader.at);
    }
    const text = source.slice(start, reader.at);
    if (text.includes("\\\n")) refuseHiddenMeaning(text);
    if (/^(?:\d+|\{.*\})$/s.test(text) && sees(reader, /[<>]/y)) cannotRead("a redirection could not be read");
    parts.push(text);
  }
  if (parts.length === 0) cannotRead("a command is missing");
  note(reader, "command", ...parts);
}

/** Bash removes line continuations before it looks for reserved words and assignments. */
function refuseHiddenMeaning(text: string): void {
  const word = text.replaceAll("\\\n", "");
  const name = /^[A-Za-z_]\w*(?=\+?=|\[)/.exec(word)?.[0];
  if (RESERVED.test(word) || (name !== undefined && !text.startsWith(name)))
    cannotRead("a line continuation splits an operator or expansion");
}

/** Returns false for a word such as `a[b]`, which only looks like an assignment. */
function readAssignment(reader: Reader): boolean {
  const { source } = reader;
  take(reader, /\w+/y);
  if (source[reader.at] === "[") {
    reader.at++;
    const { spaced } = readArithmetic(reader, "]", { keyed: true });
    if (!sees(reader, /\+?=/y)) {
      if (spaced) cannotRead("a bracket could not be read");
      readRest(reader);
      return false;
    }
  }
  take(reader, /\+?=/y);
  if (source[reader.at] === "(") readArray(reader);
  else readRest(reader);
  return true;
}

function readRest(reader: Reader): void {
  if (sees(reader, /[<>]\(/y)) cannotRead("a process substitution is part of a longer word");
  if (reader.at < reader.source.length && !sees(reader, /[ \t\n;&|()<>]/y)) readWord(reader);
}

function readArray(reader: Reader): void {
  const { source } = reader;
  reader.at++;
  nested(reader, () => {
    for (skipLines(reader); source[reader.at] !== ")"; skipLines(reader)) {
      const start = reader.at;
      if (source[start] === "[") {
        reader.at++;
        if (readArithmetic(reader, "]", { keyed: true }).spaced) cannotRead("a bracket could not be read");
        readRest(reader);
      } else readWord(reader);
      note(reader, "element", source.slice(start, reader.at));
    }
  });
  expect(reader, ")");
  if (reader.at < source.length && !sees(reader, /[ \t\n;&|)<>]/y)) cannotRead("an array is part of a longer word");
}

const DESCRIPTOR = /(?:\d{1,4}|\{[A-Za-z_]\w*\})(?=[<>])/y;
const OPERATOR = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>/y;

function startsRedirection(reader: Reader): boolean {
  return sees(reader, /&>|(?:\d{1,4}|\{[A-Za-z_]\w*\})?(?:[<>](?!\())/y);
}

/** Returns descriptor, operator and target without spaces, such as `2>&1`. */
function readRedirection(reader: Reader): string {
  const { source } = reader;
  const descriptor = source[reader.at] === "&" ? "" : (take(reader, DESCRIPTOR) ?? "");
  const operator = take(reader, OPERATOR)!;
  if (sees(reader, /\\\n/y)) cannotRead("a line continuation splits an operator or expansion");
  skipBlanks(reader);
  if (operator === "<<" || operator === "<<-") return descriptor + readHereDocument(reader, operator);
  const start = reader.at;
  readWord(reader);
  const target = source.slice(start, reader.at);
  const copies = operator === ">&" || operator === "<&";
  if (copies && !/^"?[\w./~${}[\]@:%+,-]*"?$/.test(target)) cannotRead(`what follows "${operator}" is expanded twice`);
  // Bash ends the redirection at the dash: in `cat <&-x`, the rest is a word of the command.
  if (copies && /^-./s.test(target)) cannotRead(`what follows "${operator}-" belongs to the command`);
  if (!copies && /^(?:\d+|\{.*\})$/s.test(target) && sees(reader, /[<>]/y))
    cannotRead("a redirection could not be read");
  return descriptor + operator + target;
}

export function readTrailingRedirections(reader: Reader): void {
  const found: string[] = [];
  for (skipBlanks(reader); startsRedirection(reader); skipBlanks(reader)) found.push(readRedirection(reader));
  if (found.length > 0) note(reader, "redirected", ...found);
}
