// Strict reader for lists, pipelines and commands. It accounts for every character and refuses what it does not
// recognize. `agreement.ts` compares its findings with the parser's tree.

import { endsList, readCompound, readFunction, startsCompound, startsFunction } from "./read-compound.ts";
import { readSimple, readTrailingRedirections } from "./read-simple.ts";
import { skipBlanks, skipLines } from "./read-space.ts";
import { cannotRead, nested, note, sees, take, type Reader } from "./reader.ts";

export interface Account {
  /** One line per construct in the text. */
  readonly facts: readonly string[];
  /** Bash 3.2 would read the text differently. */
  readonly modern: boolean;
}

/** Throws `UnreadError`. */
export function readAccount(source: string): Account {
  if (/[\0\x01\x7f]/.test(source)) cannotRead("it contains a control character");
  const reader = readerOf(source);
  readList(reader);
  if (reader.at < source.length) cannotRead("part of it could not be read");
  if (reader.pending.length > 0) cannotRead("a here-document has no end");
  return { facts: reader.facts, modern: reader.seen.modern };
}

export function readerOf(source: string): Reader {
  const seen = { modern: false };
  return { source, at: 0, depth: 0, facts: [], pending: [], seen, commands: readList };
}

/** Reads commands up to whatever ends the list; the caller checks what that is. */
function readList(reader: Reader): void {
  skipLines(reader);
  while (!endsList(reader)) {
    readAndOr(reader);
    skipBlanks(reader);
    if (sees(reader, /;[;&]/y)) return;
    if (take(reader, /&/y) !== undefined) note(reader, "background");
    else if (take(reader, /;/y) === undefined && reader.source[reader.at] !== "\n") return;
    refuseTornOperator(reader);
    skipLines(reader);
  }
}

function readAndOr(reader: Reader): void {
  readPipeline(reader);
  for (skipBlanks(reader); take(reader, /&&|\|\|/y) !== undefined; skipBlanks(reader)) {
    refuseTornOperator(reader);
    skipLines(reader);
    readPipeline(reader);
  }
}

function readPipeline(reader: Reader): void {
  let prefix: string | undefined;
  while ((prefix = take(reader, /(?:!|time)(?=[ \t\n;&|()<>]|$)/y)) !== undefined) {
    note(reader, prefix);
    skipBlanks(reader);
    if (prefix === "time" && take(reader, /-p(?=[ \t])/y) !== undefined) skipBlanks(reader);
    if (prefix === "time" && take(reader, /--(?=[ \t])/y) !== undefined) skipBlanks(reader);
  }
  readCommand(reader);
  let commands = 1;
  for (skipBlanks(reader); take(reader, /\|&?(?!\|)/y) !== undefined; skipBlanks(reader)) {
    refuseTornOperator(reader);
    skipLines(reader);
    readCommand(reader);
    commands++;
  }
  if (commands > 1) note(reader, "pipeline", String(commands));
}

/** A line continuation after an operator can join it with the next one. */
function refuseTornOperator(reader: Reader): void {
  if (sees(reader, /(?:\\\n)+[;&|]/y)) cannotRead("a line continuation splits an operator or expansion");
}

function readCommand(reader: Reader): void {
  if (startsFunction(reader)) return nested(reader, () => readFunction(reader));
  if (!startsCompound(reader)) return readSimple(reader);
  nested(reader, () => readCompound(reader));
  readTrailingRedirections(reader);
}
