// Cuts a line of code into styled pieces by the tables of its language. What continues on the next line is a stack:
// the comment or string it is in, and the code inside of strings around that.

import type { Grammar, StringRule } from "./grammar.ts";
import type { LineHighlighter } from "./code-colors.ts";
import { keyLength } from "./keys.ts";
import { PLAIN_CODE, type CodePiece, type CodeStyle } from "./piece.ts";

/** Inside of these the text is not code. */
type Inside =
  (StringRule & { readonly style: "string" | "comment" }) | { readonly style: "code"; readonly braces: number };

type TokenStyle = "comment" | "keyword" | "name" | "number" | "string" | "type";

const STYLES: Readonly<Record<TokenStyle, readonly CodeStyle[]>> = {
  comment: ["comment"],
  keyword: ["keyword"],
  name: ["name"],
  number: ["number"],
  string: ["string"],
  type: ["type"],
};

const MAX_DEPTH = 50;
const LETTERS = /[\p{L}\p{M}\p{N}]+/uy;
const NUMBER = /0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?[a-zA-Z%]*/y;
const CHARACTER = /'(?:\\[^']{1,10}|[^'\\])'/uy;

export class Tokenizer implements LineHighlighter {
  readonly known = true;
  readonly #grammar: Grammar;
  /** The first characters of all comments and strings: nothing else needs a closer look. */
  readonly #signs: string;
  /** Never changed in place, so that a fork can share it. */
  #stack: readonly Inside[] = [];
  #pieces: CodePiece[] = [];
  #text = "";
  #at = 0;
  #plainFrom = 0;
  /** The last sign or word that was not a space: tells a regular expression from a division. */
  #before = "";
  #noRegexp = false;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
    this.#signs = [
      ...grammar.lineComments,
      ...grammar.blockComments.map(([open]) => open),
      ...grammar.strings.map(({ open }) => open),
      grammar.characters ? "'" : "",
    ]
      .map((sign) => sign.slice(0, 1))
      .join("");
  }

  fork(): Tokenizer {
    const fork = new Tokenizer(this.#grammar);
    fork.#stack = this.#stack;
    return fork;
  }

  line(text: string): readonly CodePiece[] {
    this.#text = text;
    this.#pieces = [];
    this.#at = 0;
    this.#plainFrom = 0;
    this.#before = "";
    this.#noRegexp = false;
    if (this.#inside()?.style !== "string" && this.#inside()?.style !== "comment") this.#lineStart();
    while (this.#at < text.length) {
      const inside = this.#inside();
      if (inside && inside.style !== "code") this.#body(inside, this.#at);
      else this.#code();
    }
    this.#plainUpTo(text.length);
    const inside = this.#inside();
    if (inside && inside.style !== "code" && !inside.lines) this.#stack = this.#stack.slice(0, -1);
    return this.#pieces;
  }

  #inside(): Inside | undefined {
    return this.#stack.at(-1);
  }

  #lineStart(): void {
    const { keys, sections } = this.#grammar;
    const text = this.#text;
    if (sections && /^\s*\[/.test(text)) {
      const end = text.indexOf("]");
      if (end !== -1) this.#take(end + 1, "type");
    } else if (keys) {
      const key = keyLength(text, keys);
      if (key) {
        this.#at = key.from;
        this.#take(key.to, "name");
      }
    }
  }

  #code(): void {
    const text = this.#text;
    const character = text[this.#at]!;
    if (character === " " || character === "\t") {
      this.#at++;
      return;
    }
    if (this.#signs.includes(character) && (this.#comment() || this.#string(character))) return;
    if (this.#number(character) || this.#word()) return;
    if (this.#braces(character)) return;
    if (character === "/" && this.#grammar.regexps && this.#regexp()) return;
    this.#before = character;
    this.#at += character.length;
  }

  #comment(): boolean {
    const { lineComments, blockComments, spaceBeforeComment } = this.#grammar;
    const before = this.#text[this.#at - 1];
    if (spaceBeforeComment && before !== undefined && before !== " ") return false;
    if (lineComments.some((sign) => this.#text.startsWith(sign, this.#at))) {
      this.#take(this.#text.length, "comment");
      return true;
    }
    const block = blockComments.find(([open]) => this.#text.startsWith(open, this.#at));
    if (!block) return false;
    this.#enter({ open: block[0], close: block[1], lines: true, style: "comment" });
    return true;
  }

  #string(character: string): boolean {
    if (this.#grammar.characters && character === "'") {
      CHARACTER.lastIndex = this.#at;
      const found = CHARACTER.exec(this.#text)?.[0];
      if (found) this.#take(this.#at + found.length, "string");
      return found !== undefined;
    }
    const rule = this.#grammar.strings.find(({ open }) => this.#text.startsWith(open, this.#at));
    if (rule) this.#enter({ ...rule, style: "string" });
    return rule !== undefined;
  }

  #enter(inside: Inside & { style: "string" | "comment" }): void {
    this.#stack = [...this.#stack, inside];
    this.#body(inside, this.#at + inside.open.length);
  }

  /** From inside a string or comment up to its end, the end of the line, or code in it. */
  #body(inside: Inside & { style: "string" | "comment" }, from: number): void {
    const text = this.#text;
    const start = this.#at;
    const { escapes, close, code } = inside;
    let at = from;
    for (; at < text.length; at++) {
      const character = text[at];
      if (escapes && character === "\\") at++;
      else if (character === close[0] && text.startsWith(close, at)) {
        this.#stack = this.#stack.slice(0, -1);
        this.#before = '"';
        const end = at + close.length;
        this.#take(end, this.#isKey(start, end) ? "name" : inside.style);
        return;
      } else if (code && character === code[0] && text.startsWith(code, at) && this.#stack.length < MAX_DEPTH) {
        this.#take(at, inside.style);
        this.#at = at + code.length;
        this.#stack = [...this.#stack, { style: "code", braces: 0 }];
        this.#before = "{";
        return;
      }
    }
    this.#take(text.length, inside.style);
  }

  #isKey(start: number, end: number): boolean {
    if (this.#grammar.keys !== ":" || this.#grammar.hyphens) return false;
    let next = end;
    while (this.#text[next] === " ") next++;
    return this.#text[next] === ":" && this.#text[start] === '"';
  }

  #number(character: string): boolean {
    if (character < "0" || character > "9") return false;
    NUMBER.lastIndex = this.#at;
    this.#take(this.#at + NUMBER.exec(this.#text)![0].length, "number");
    this.#before = "0";
    return true;
  }

  #word(): boolean {
    const { hyphens, sigils, keywords, types, ignoreCase, firstWord } = this.#grammar;
    const sigil = sigils?.includes(this.#text[this.#at]!) ? 1 : 0;
    const start = this.#at + sigil;
    let end = wordEnd(this.#text, start, hyphens === true);
    if (end === start) return false;
    let word = this.#text.slice(start, end);
    if (keywords.has(`${word}?`) && this.#text[end] === "?") word = this.#text.slice(start, ++end);
    const key = ignoreCase ? word.toLowerCase() : word;
    const first = firstWord === true && this.#text.slice(0, this.#at).trim() === "";
    let style: TokenStyle | undefined;
    if (sigil > 0) style = "name";
    else if (keywords.has(key) && (!firstWord || first) && this.#before !== ".") style = "keyword";
    else if (types.has(key)) style = "type";
    else if (this.#grammar.calls && this.#text[end] === "(") style = "name";
    else if (this.#grammar.capitalTypes && isCapital(word)) style = "type";
    if (style) this.#take(end, style);
    else this.#at = end;
    this.#before = style === "keyword" ? "keyword" : "word";
    return true;
  }

  /** The braces of code inside of a string, whose last one ends it. */
  #braces(character: string): boolean {
    const inside = this.#inside();
    if (inside?.style !== "code" || (character !== "{" && character !== "}")) return false;
    const braces = inside.braces + (character === "{" ? 1 : -1);
    const around = this.#stack.slice(0, -1);
    this.#plainUpTo(this.#at + 1);
    this.#at++;
    this.#before = character;
    this.#stack = braces < 0 ? around : [...around, { style: "code", braces }];
    return true;
  }

  #regexp(): boolean {
    if (this.#noRegexp || !/^(keyword|[(,=:[!&|?{};+\-*%<>~^])?$/.test(this.#before)) return false;
    let set = false;
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === "\\") at++;
      else if (character === "[") set = true;
      else if (character === "]") set = false;
      else if (character === "/" && !set) {
        let end = at + 1;
        while (/[a-z]/.test(this.#text[end] ?? "")) end++;
        this.#take(end, "string");
        this.#before = '"';
        return true;
      }
    }
    // Without an end in this line, no later one has an end either.
    this.#noRegexp = true;
    return false;
  }

  #take(end: number, style: TokenStyle): void {
    this.#plainUpTo(this.#at);
    if (end > this.#at) this.#pieces.push({ text: this.#text.slice(this.#at, end), styles: STYLES[style] });
    this.#at = end;
    this.#plainFrom = end;
  }

  #plainUpTo(end: number): void {
    if (end > this.#plainFrom) this.#pieces.push({ text: this.#text.slice(this.#plainFrom, end), styles: PLAIN_CODE });
    this.#plainFrom = end;
  }
}

/** Letters, digits, `_`, `$`; a word does not start with a digit. */
function wordEnd(text: string, from: number, hyphens: boolean): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x24;
    const isDigit = code >= 0x30 && code <= 0x39;
    if (isLetter || (isDigit && at > from) || (code === 0x2d && hyphens)) {
      at++;
      continue;
    }
    if (code < 0x80) break;
    LETTERS.lastIndex = at;
    const letters = LETTERS.exec(text)?.[0].length;
    if (letters === undefined) break;
    at += letters;
  }
  return at;
}

function isCapital(word: string): boolean {
  const first = word[0]!;
  return first >= "A" && (first <= "Z" || (first > "z" && first !== first.toLowerCase()));
}
