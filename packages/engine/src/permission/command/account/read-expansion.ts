// Reads quotes and expansions: only known forms, each properly closed. `reader.commands` reads the commands in a
// substitution.

import { endsAlike } from "./old-bash.ts";
import { ansiText, constantText } from "./quoted-text.ts";
import { cannotRead, nested, note, readApart, sees, take, type Reader } from "./reader.ts";

/** A part of a word. Unquoted text may contain patterns, braces and a tilde. */
export type Piece =
  /** `numbers`: part of it is a number that is shown as written, such as `$#`. */
  | { readonly type: "text"; readonly value: string; readonly quoted: boolean; readonly numbers?: true }
  /** `value` is set if the expansion is constant; `fixed` is the known part of quoted text. */
  | {
      readonly type: "expansion";
      readonly text: string;
      readonly value?: string;
      readonly fixed?: string;
      /** It may be printed: a variable that holds no secret, or a substitution, whose commands are judged themselves. */
      readonly shows?: "always" | "quoted";
    };

/** These expand to digits, whatever the state of the shell. */
const NUMERIC = new Set(["$?", "$#", "$$"]);
/** Variables that hold no secret. */
const SHOWN =
  /^\$\{?(?:BASH_VERSION|CI|COLUMNS|CONDA_DEFAULT_ENV|EUID|GOPATH|HOME|HOSTNAME|JAVA_HOME|LANG|LINENO|LOGNAME|NODE_ENV|OLDPWD|PATH|PPID|PWD|RANDOM|SECONDS|SHELL|SHLVL|TERM|TMPDIR|TZ|UID|USER|VIRTUAL_ENV)\}?$/;
/** Arithmetic without variables. Its result has no minus sign if it subtracts nothing. */
const CONSTANT = /^\$\(\([\d \t+*/%()-]*\)\)$/;

/** Escapes that bash 3.2 leaves as they are. */
const NEW_ESCAPE = /\\[uU"?]/;

type Expansion = Extract<Piece, { type: "expansion" }>;

type Close = "))" | "]" | "}";

const CLOSED_BY: Readonly<Record<string, string>> = { "(": ")", "[": "]" };
/** Quoted keys with nothing to expand: bash expands a subscript again after removing its quotes. */
const PLAIN_KEY = /'[^'$`\\<>()]*'|"[^"$`\\<>()]*"|"\$(?:\w+|\{\w+\})"/y;
const HEADER = /\$\{(?:[#!]?(?:[A-Za-z_]\w*|\d+|[@*])|[?$!#-](?=\}))/y;
const OPERATOR = /:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?/y;
/** Expansions that only read: no assignment, indirection, subscript or evaluation. */
const READS_ONLY = /^\$\{(?:#?\w+|[?$!#@*-]|\w+(?::?[-+?]|[#%/^,])[^]*)\}$/;

export function onlyReads(parameter: string): boolean {
  return READS_ONLY.test(parameter);
}

export function isConstant(arithmetic: string): boolean {
  return CONSTANT.test(arithmetic);
}

export function readDollar(reader: Reader, { quoted }: { quoted: boolean }): Piece {
  const { source, at } = reader;
  const next = source[at + 1];
  const expansion = (): Expansion => ({ type: "expansion", text: source.slice(at, reader.at) });
  if (next === "(" && source[at + 2] === "(") {
    reader.at += 3;
    readArithmetic(reader, "))");
    const text = source.slice(at, reader.at);
    note(reader, "arithmetic", text);
    if (!isConstant(text)) return expansion();
    return text.includes("-") ? { ...expansion(), shows: "always" } : { ...expansion(), value: text };
  }
  if (next === "(") return { ...substitution(reader, 2), shows: "quoted" };
  if (next === "[") {
    reader.at += 2;
    readArithmetic(reader, "]");
    note(reader, "arithmetic", source.slice(at, reader.at));
    return expansion();
  }
  if (next === "{") {
    readParameter(reader, { quoted });
    return shown(expansion());
  }
  if (next === "'" && !quoted) return ansiQuoted(reader);
  if (next === '"' && !quoted) {
    // Bash looks this up in a message catalog.
    reader.at++;
    readDouble(reader);
    return expansion();
  }
  if (next === "\\" && source[at + 2] === "\n") cannotRead("a line continuation splits an operator or expansion");
  const name = take(reader, /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y);
  if (name === undefined) {
    reader.at++;
    return { type: "text", value: "$", quoted: true };
  }
  return NUMERIC.has(name) ? { ...expansion(), value: name } : shown(expansion());
}

function shown(piece: Expansion): Piece {
  return SHOWN.test(piece.text) ? { ...piece, shows: "always" } : piece;
}

function ansiQuoted(reader: Reader): Piece {
  const text = take(reader, /\$'(?:[^'\\]|\\[^])*'/y) ?? cannotRead("a quote is not closed");
  if (NEW_ESCAPE.test(text)) reader.seen.modern = true;
  const value = ansiText(text.slice(2, -1));
  return value === undefined ? { type: "expansion", text } : { type: "text", value, quoted: true };
}

export function readSingle(reader: Reader): string {
  const text = take(reader, /'[^']*'/y);
  return text === undefined ? cannotRead("a quote is not closed") : text.slice(1, -1);
}

/** The pieces between double quotes. */
export function readDouble(reader: Reader): Piece[] {
  reader.at++;
  const pieces: Piece[] = [];
  nested(reader, () => {
    while (reader.source[reader.at] !== '"') {
      if (reader.at >= reader.source.length) cannotRead("a quote is not closed");
      pieces.push(quotedPiece(reader, /[^"\\$`]+/y, /["\\$`]/));
    }
  });
  reader.at++;
  return pieces;
}

export function quotedPiece(reader: Reader, plain: RegExp, escapable: RegExp): Piece {
  const { source, at } = reader;
  if (source[at] === "$") return readDollar(reader, { quoted: true });
  if (source[at] === "`") return readBackticks(reader, { quoted: true });
  if (source[at] !== "\\") return { type: "text", value: take(reader, plain)!, quoted: true };
  const next = source[at + 1] ?? "";
  reader.at += 1 + next.length;
  if (next === "\n" && source[at - 1] === "$") cannotRead("a line continuation splits an operator or expansion");
  if (next === "\n") return { type: "text", value: "", quoted: true };
  return { type: "text", value: escapable.test(next) ? next : `\\${next}`, quoted: true };
}

/** `$(…)`, `<(…)` and `>(…)`. */
export function substitution(reader: Reader, opening: number): Expansion {
  const start = reader.at;
  const outer = reader.pending;
  reader.pending = [];
  reader.at += opening;
  nested(reader, () => reader.commands(reader));
  if (reader.source[reader.at] !== ")") cannotRead("a substitution is not closed");
  if (reader.pending.length > 0) cannotRead("a here-document has no end");
  reader.at++;
  reader.pending = outer;
  const text = reader.source.slice(start, reader.at);
  if (!endsAlike(text)) reader.seen.modern = true;
  note(reader, "substitution", text);
  return { type: "expansion", text };
}

export function readBackticks(reader: Reader, { quoted }: { quoted: boolean }): Piece {
  const text = take(reader, /`(?:[^`\\]|\\[^])*`/y) ?? cannotRead("a substitution is not closed");
  const inner = text.slice(1, -1).replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  note(reader, "substitution", text);
  readApart(reader, inner, reader.commands);
  return { type: "expansion", text, shows: "quoted" };
}

/** Whether it has a number whose digits the text does not show: `$#`, `$((1 + 1))`. */
export function hasNumber(piece: Piece): boolean {
  return piece.type === "text" ? piece.numbers === true : piece.value !== undefined;
}

/** Joins everything between two double quotes into one piece. */
export function joinedPiece(pieces: readonly Piece[]): Piece {
  let value = "";
  let text = "";
  let known = true;
  let shows = true;
  const numbers = pieces.some(hasNumber) ? ({ numbers: true } as const) : {};
  for (const piece of pieces) {
    const own = piece.type === "expansion" ? (piece.value ?? constantText(piece.text)) : piece.value;
    if (own === undefined) {
      known = false;
      shows &&= piece.type === "expansion" && piece.shows !== undefined;
    }
    value += own ?? "";
    text += piece.type === "expansion" ? piece.text : piece.value;
  }
  return known
    ? { type: "text", value, quoted: true, ...numbers }
    : { type: "expansion", text, fixed: value, ...(shows && { shows: "always" }) };
}

/**
 * Reads up to and including `close`. `separators`: how many `;` it must have, for `for ((;;))`. `keyed`: keys of
 * associative arrays may be quoted. Reports whether there were spaces outside quotes and expansions.
 */
export function readArithmetic(
  reader: Reader,
  close: Close,
  { separators = 0, keyed = false }: { separators?: number; keyed?: boolean } = {},
): { spaced: boolean } {
  const { source } = reader;
  const start = reader.at;
  const open: string[] = [];
  let left = separators;
  let spaced = false;
  nested(reader, () => {
    for (;;) {
      if (reader.at >= source.length) cannotRead("an arithmetic expression is not closed");
      if (open.length === 0 && source.startsWith(close, reader.at)) break;
      const character = source[reader.at]!;
      if (/\s/.test(character)) spaced = true;
      if (sees(reader, /[<>]\(|(?<![0-9])#/y)) cannotRead("an arithmetic expression could not be read");
      if (character === "$") readDollar(reader, { quoted: true });
      else if (character === "`") readBackticks(reader, { quoted: true });
      else if (keyed && take(reader, PLAIN_KEY) !== undefined) continue;
      else if (character === open.at(-1)) {
        open.pop();
        reader.at++;
      } else if (CLOSED_BY[character] !== undefined) {
        open.push(CLOSED_BY[character]);
        reader.at++;
      } else if (character === ";" && left > 0 && open.length === 0) {
        left--;
        reader.at++;
      } else if (take(reader, /[\w \t\n+*/%<>=!&|^~?:,.@#-]/y) === undefined)
        cannotRead("an arithmetic expression could not be read");
    }
  });
  if (left > 0) cannotRead("an arithmetic expression could not be read");
  if (reader.pending.length > 0 && source.slice(start, reader.at).includes("\n"))
    cannotRead("a word continues past the line where a here-document starts");
  reader.at += close.length;
  return { spaced };
}

export function readParameter(reader: Reader, { quoted }: { quoted: boolean }): void {
  const { source } = reader;
  const start = reader.at;
  if (take(reader, HEADER) === undefined) cannotRead("an expansion could not be read");
  nested(reader, () => {
    if (source[reader.at] === "[") {
      reader.at++;
      readArithmetic(reader, "]", { keyed: true });
    }
    if (take(reader, /@[A-Za-z](?=\})|[@*](?=\})/y) === undefined) readOperation(reader, quoted);
  });
  if (source[reader.at] !== "}") cannotRead("an expansion could not be read");
  reader.at++;
  note(reader, "parameter", source.slice(start, reader.at));
}

function readOperation(reader: Reader, quoted: boolean): void {
  const operator = take(reader, OPERATOR);
  if (operator !== undefined) return readOperand(reader, { quoted, pattern: /[#%/^,]/.test(operator) });
  if (take(reader, /:/y) === undefined) return;
  readArithmetic(reader, "}");
  reader.at--;
}

/** Reads what follows the operator. Between double quotes, a single quote is only a quote in patterns. */
function readOperand(reader: Reader, { quoted, pattern }: { quoted: boolean; pattern: boolean }): void {
  const { source } = reader;
  while (source[reader.at] !== "}") {
    if (sees(reader, /[<>]\(|\{|\\\n/y)) cannotRead("an expansion could not be read");
    switch (source[reader.at]) {
      case undefined:
        return cannotRead("an expansion is not closed");
      case "'":
        if (quoted && !pattern) {
          // Bash 3.2 takes it for a quote.
          reader.seen.modern = true;
          reader.at++;
        } else readSingle(reader);
        break;
      case '"':
        readDouble(reader);
        break;
      case "$":
        readDollar(reader, { quoted });
        break;
      case "`":
        readBackticks(reader, { quoted });
        break;
      case "\\":
        reader.at += 2;
        break;
      default:
        take(reader, /[^'"$`\\{}<>]+|[<>]/y);
    }
  }
}
