// Reads compound commands: groups, conditions, loops, `case`, `[[`, `((`, functions and coprocesses.

import { readArithmetic } from "./read-expansion.ts";
import { skipBlanks, skipLines } from "./read-space.ts";
import { readSimple, readTrailingRedirections } from "./read-simple.ts";
import { expect, cannotRead, nested, note, sees, take, type Reader } from "./reader.ts";
import { readWord } from "./read-word.ts";

const OPENING = /\(|(?:\{|if|while|until|for|select|case|\[\[|function|coproc)(?=[ \t\n;&|()<>]|$)/y;

export function startsCompound(reader: Reader): boolean {
  return sees(reader, OPENING);
}

export function readCompound(reader: Reader): void {
  const opening = take(reader, OPENING)!;
  if (!sees(reader, /(?<=\()\(/y)) note(reader, opening);
  switch (opening) {
    case "(":
      if (take(reader, /\(/y) !== undefined) return readArithmeticCommand(reader);
      readBody(reader);
      return expect(reader, ")");
    case "{":
      readBody(reader);
      return keyword(reader, "}");
    case "if":
      return readIf(reader);
    case "while":
    case "until":
      readBody(reader);
      return readDo(reader);
    case "for":
    case "select":
      return readFor(reader);
    case "case":
      return readCase(reader);
    case "[[":
      return readTest(reader);
    case "function":
      skipBlanks(reader);
      return readNamedFunction(reader);
    default:
      skipBlanks(reader);
      return readCoprocess(reader);
  }
}

function readArithmeticCommand(reader: Reader): void {
  const start = reader.at;
  readArithmetic(reader, "))");
  note(reader, "((", reader.source.slice(start, reader.at - 2));
}

export function endsList(reader: Reader): boolean {
  return (
    reader.at >= reader.source.length ||
    sees(reader, /\)|;[;&]|(?:then|elif|else|fi|do|done|esac|\})(?=[ \t\n;&|()<>]|$)/y)
  );
}

/** A list with at least one command. */
function readBody(reader: Reader): void {
  skipLines(reader);
  if (endsList(reader)) cannotRead("a command is missing");
  reader.commands(reader);
}

function keyword(reader: Reader, word: string): void {
  skipLines(reader);
  expect(reader, word);
  if (reader.at < reader.source.length && !sees(reader, /[ \t\n;&|()<>]/y)) cannotRead(`"${word}" is missing`);
}

function readIf(reader: Reader): void {
  readBody(reader);
  keyword(reader, "then");
  readBody(reader);
  while (sees(reader, /elif(?=[ \t\n;&|()<>])/y)) {
    keyword(reader, "elif");
    readBody(reader);
    keyword(reader, "then");
    readBody(reader);
  }
  if (sees(reader, /else(?=[ \t\n;&|()<>])/y)) {
    keyword(reader, "else");
    readBody(reader);
  }
  keyword(reader, "fi");
}

function readDo(reader: Reader): void {
  keyword(reader, "do");
  readBody(reader);
  keyword(reader, "done");
}

function readFor(reader: Reader): void {
  skipBlanks(reader);
  if (take(reader, /\(\(/y) !== undefined) {
    readArithmetic(reader, "))", { separators: 2 });
    skipBlanks(reader);
    take(reader, /;/y);
    return readLoopBody(reader);
  }
  const words = [
    take(reader, /[A-Za-z_]\w*(?=[ \t\n;])/y) ?? cannotRead("the name of a loop's variable could not be read"),
  ];
  skipLines(reader);
  if (take(reader, /in(?=[ \t\n;])/y) !== undefined) {
    for (skipBlanks(reader); !sees(reader, /[;\n]/y); skipBlanks(reader)) words.push(takeWord(reader));
    take(reader, /;/y);
  } else {
    take(reader, /;/y);
  }
  note(reader, "loop", ...words);
  readLoopBody(reader);
}

function readLoopBody(reader: Reader): void {
  skipLines(reader);
  if (take(reader, /\{(?=[ \t\n])/y) === undefined) return readDo(reader);
  note(reader, "{");
  readBody(reader);
  keyword(reader, "}");
}

function takeWord(reader: Reader, ends?: (character: string) => boolean): string {
  const start = reader.at;
  readWord(reader, ends);
  return reader.source.slice(start, reader.at);
}

function readCase(reader: Reader): void {
  skipBlanks(reader);
  note(reader, "subject", takeWord(reader));
  keyword(reader, "in");
  for (skipLines(reader); !sees(reader, /esac(?=[ \t\n;&|()<>]|$)/y); skipLines(reader)) {
    if (take(reader, /\(/y) !== undefined) skipBlanks(reader);
    const patterns: string[] = [];
    do {
      skipBlanks(reader);
      patterns.push(takeWord(reader));
      skipBlanks(reader);
    } while (take(reader, /\|/y) !== undefined);
    expect(reader, ")");
    note(reader, "patterns", ...patterns);
    nested(reader, () => reader.commands(reader));
    if (take(reader, /;;&|;;|;&/y) === undefined) break;
  }
  keyword(reader, "esac");
}

function readNamedFunction(reader: Reader): void {
  const name = takeWord(reader);
  skipBlanks(reader);
  if (reader.source[reader.at] === "(" && take(reader, /\([ \t]*\)/y) === undefined)
    cannotRead("the body of a function could not be read");
  readFunctionBody(reader, name);
}

const FUNCTION = /[\w.:@+-]+[ \t]*\([ \t]*\)/y;

export function startsFunction(reader: Reader): boolean {
  return sees(reader, FUNCTION);
}

export function readFunction(reader: Reader): void {
  const [name] = take(reader, FUNCTION)!.split(/[ \t(]/, 1);
  note(reader, "function");
  readFunctionBody(reader, name!);
}

function readFunctionBody(reader: Reader, name: string): void {
  if (!/^[\w.:@+-]+$/.test(name)) cannotRead("the name of a function could not be read");
  note(reader, "name", name);
  skipLines(reader);
  if (!startsCompound(reader)) cannotRead("the body of a function could not be read");
  nested(reader, () => readCompound(reader));
  readTrailingRedirections(reader);
}

/** Only a compound command can have a name before it. */
function readCoprocess(reader: Reader): void {
  const named = take(reader, /[A-Za-z_]\w*(?=[ \t]+(?:\(|(?:\{|if|while|until|for|select|case|\[\[)[ \t\n]))/y);
  if (named !== undefined && /^(?:if|while|until|for|select|case|function|coproc|time)$/.test(named))
    cannotRead("the name of a coprocess could not be read");
  if (named !== undefined) skipBlanks(reader);
  note(reader, "coprocess", named ?? "");
  if (sees(reader, /(?:!|time|function|coproc)(?=[ \t\n])/y)) cannotRead("a coprocess could not be read");
  if (!startsCompound(reader)) return readSimple(reader);
  nested(reader, () => readCompound(reader));
  readTrailingRedirections(reader);
}

/** Notes operands and operators in order. Their grouping does not change what runs. */
function readTest(reader: Reader): void {
  const words: string[] = [];
  let open = 0;
  for (;;) {
    skipLines(reader);
    if (reader.at >= reader.source.length) cannotRead('"]]" is missing');
    if (open === 0 && take(reader, /\]\](?=[ \t\n;&|()<>]|$)/y) !== undefined) break;
    const operator = /^(?:=~|==?|!=)$/.exec(words.at(-1) ?? "")?.[0];
    if (operator !== undefined) words.push(readPattern(reader, operator));
    else if (take(reader, /\(/y) !== undefined) open++;
    else if (take(reader, /\)/y) !== undefined) open--;
    else if (take(reader, /&&|\|\||!(?=[ \t\n(])/y) !== undefined) continue;
    else words.push(take(reader, /[<>](?=[ \t])/y) ?? takeWord(reader));
    if (open < 0) cannotRead("a bracket could not be read");
  }
  if (words.length === 0) cannotRead("a condition is missing");
  note(reader, "test", ...words);
}

/** After `=~`, `==` and `!=`, parentheses are part of the pattern. */
function readPattern(reader: Reader, operator: string): string {
  let open = 0;
  const text = takeWord(reader, (character) => {
    if (character === "(") open++;
    else if (character === ")" && open > 0) open--;
    else return character !== "|" || (open === 0 && operator !== "=~");
    return false;
  });
  if (open > 0) cannotRead("a bracket could not be read");
  return text;
}
