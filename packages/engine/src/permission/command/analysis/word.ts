// One word of a command line after quote removal, and how certain it is. Expands braces, because `{rm,-rf,x}` is a
// command.

import { piecesOf, type Piece } from "../account/pieces.ts";
import { hasNumber } from "../account/read-expansion.ts";

/**
 * literal: exactly this. home: starts with `~` or `$HOME`, kept as `~`. glob: a file name pattern, with quoted
 * wildcards escaped. braces: one of the words that `{a,b}` expands to. unknown: only the shell knows.
 */
type WordKind = "literal" | "home" | "glob" | "braces" | "unknown";

export interface Word {
  readonly kind: WordKind;
  /** Unquoted; for an unknown word, as written. */
  readonly value: string;
  /** As written, without line continuations. */
  readonly text: string;
  /** The word is unknown, but may be printed: `$PATH`, `"$(date)"`. */
  readonly shown?: true;
  /** It contains numbers as written, such as `$#`; the text does not show their digits. */
  readonly numbers?: true;
}

const MOST_ALTERNATIVES = 64;
const LONGEST_BRACES = 1_000;

export function literal(value: string): Word {
  return { kind: "literal", value, text: value };
}

/** The word where its digits matter: a file named `a0` is not the one that `a$#` seems to name. */
export function withoutNumbers(word: Word): Word {
  return word.numbers ? { kind: "unknown", value: word.text, text: word.text, shown: true } : word;
}

/** The words that one word of source text expands to: more than one if it has braces. */
export function wordsOf(source: string): Word[] {
  const text = source.replaceAll("\\\n", "");
  const pieces = piecesOf(source);
  const plain = pieces?.map((piece) => (piece.type === "text" && !piece.quoted ? piece.value : "\0")).join("") ?? "";
  if (pieces === undefined || expandsTilde(plain)) return [{ kind: "unknown", value: text, text }];
  if (!hasBraces(plain)) return [{ ...joined(pieces, text), text }];

  const words = expand(text);
  // Bash drops words that braces leave empty, which shifts the words after them.
  if (words === undefined || words.includes("")) return [{ kind: "unknown", value: text, text }];
  return words.map((value) => ({ kind: /[*?]/.test(value) ? "glob" : "braces", value, text }));
}

/** In a word that looks like an assignment, bash expands a tilde after `=` and after each colon. */
function expandsTilde(plain: string): boolean {
  const assigned = /^[A-Za-z_]\w*=/.exec(plain)?.[0];
  return assigned !== undefined && (plain[assigned.length] === "~" || plain.includes(":~", assigned.length));
}

/** May be true for words that bash does not expand; `expand` leaves those unchanged. */
function hasBraces(plain: string): boolean {
  const within = plain.slice(plain.indexOf("{"), plain.lastIndexOf("}") + 1);
  return within.startsWith("{") && (within.includes(",") || within.includes(".."));
}

/** Also between quotes: `"$HOME/.ssh"`. */
const AT_HOME = /^\$(?:HOME|\{HOME\})((?:\/[^$`]*)?)$/s;

function joined(pieces: readonly Piece[], text: string): Omit<Word, "text"> {
  const shown = pieces.every(isShown) ? ({ shown: true } as const) : {};
  const unknown = { kind: "unknown", value: text, ...shown } as const;
  const [first] = pieces;
  let home = first?.type === "text" && !first.quoted && first.value.startsWith("~");
  // A quote before the first slash prevents tilde expansion.
  if (home && pieces.length > 1 && !first?.value?.includes("/")) return unknown;
  let value = "";
  let pattern = "";
  for (const [index, piece] of pieces.entries()) {
    if (piece.value !== undefined) {
      value += piece.value;
      pattern += piece.type === "text" && !piece.quoted ? piece.value : escapeGlob(piece.value);
    } else {
      const path = index === 0 && piece.type === "expansion" ? AT_HOME.exec(piece.text)?.[1] : undefined;
      if (path === undefined) return unknown;
      home = true;
      value += `~${path}`;
      pattern += `~${escapeGlob(path)}`;
    }
  }
  if (pattern.split("[").length > MOST_BRACKETS) return unknown;
  const glob = globOf(pattern);
  if (glob !== undefined) value = glob;
  if (home && value !== "~" && !value.startsWith("~/")) return unknown;
  const numbers = pieces.some(hasNumber) ? ({ numbers: true } as const) : {};
  return { kind: glob === undefined ? (home ? "home" : "literal") : "glob", value, ...numbers };
}

/** A pattern would also show the names in a folder. */
function isShown(piece: Piece): boolean {
  if (piece.type === "text") return piece.quoted || !/[*?[~]/.test(piece.value);
  return piece.value !== undefined || piece.shows === "always";
}

/** Replaces brackets we cannot compare with `*`. Undefined if there are no wildcards. */
function globOf(pattern: string): string | undefined {
  const tokens: readonly string[] = pattern.match(/\\[^]|[^]/g) ?? [];
  const last = tokens.lastIndexOf("]");
  let wild = false;
  let glob = "";
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const end = token === "[" && at < last ? bracketEnd(tokens, at) : -1;
    if (end > at) {
      const bracket = tokens.slice(at, end + 1).join("");
      glob += /^\[[\w.!^-]+\]$/.test(bracket) ? bracket : "*";
      at = end;
      wild = true;
      continue;
    }
    if (token === "*" || token === "?") wild = true;
    glob += token === "[" ? "\\[" : token;
  }
  return wild ? glob : undefined;
}

const LONGEST_BRACKET = 256;
const MOST_BRACKETS = 100;

/** Where a bracket ends. A leading `]`, or one in `[:alpha:]` and similar classes, does not end it. */
function bracketEnd(tokens: readonly string[], start: number): number {
  let at = /[!^]/.test(tokens[start + 1]!) ? start + 3 : start + 2;
  if (tokens[start + 1] === "[") at = start + 1;
  for (const most = Math.min(tokens.length, start + LONGEST_BRACKET); at < most; at++) {
    const sign = tokens[at] === "[" && /[:.=]/.test(tokens[at + 1] ?? "") ? tokens[at + 1] : undefined;
    const close =
      sign === undefined
        ? -1
        : tokens.slice(at + 2, most).findIndex((token, index) => token === sign && tokens[at + 3 + index] === "]");
    if (close >= 0) at += close + 3;
    else if (tokens[at] === "]") return at;
  }
  return -1;
}

/** Expands `a{b,c}d`, innermost braces first. Undefined if quotes, ranges or expansions are involved. */
function expand(text: string): string[] | undefined {
  if (text.length > LONGEST_BRACES || !/^[\w./,{}@%+=:~*?-]+$/.test(text)) return undefined;
  if (text.includes("..}") || /\{[^{},]*\.\.[^{},]*\}/.test(text)) return undefined;
  let words = [text];
  for (;;) {
    const at = words.findIndex((word) => /\{[^{}]*,[^{}]*\}/.test(word));
    if (at < 0) return words;
    const match = /\{([^{}]*,[^{}]*)\}/.exec(words[at]!)!;
    const head = words[at]!.slice(0, match.index);
    const tail = words[at]!.slice(match.index + match[0].length);
    words = words.toSpliced(at, 1, ...match[1]!.split(",").map((choice) => head + choice + tail));
    if (words.length > MOST_ALTERNATIVES) return undefined;
  }
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}
