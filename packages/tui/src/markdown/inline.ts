// The inline part of Markdown: emphasis, code, links, escapes. One pass with a stack of open marks; every look ahead is
// bounded, so the cost is linear in the text. What is not understood stays as it was written.

import type { StyleName } from "../theme/theme.ts";
import type { StyledText } from "../code/styled-text.ts";
import { closesEmphasis, opensEmphasis } from "./flanking.ts";
import { autolinkAt, bareUrlAt, destinationAt, linkText, type LinkStyle, type LinkTarget } from "./link.ts";

export interface InlineStyle extends LinkStyle {
  /** Code keeps its backticks where no color can set it apart. */
  readonly backticks: boolean;
  /** The text goes on: marks that are still open apply up to its end. */
  readonly unfinished?: boolean;
}

/** The text is clean. `around` is put outside of every style found. */
export function inlineText(source: string, style: InlineStyle, around: readonly StyleName[] = []): StyledText[] {
  const text = source.replaceAll("\t", " ");
  if (!SPECIAL.test(text)) return text === "" ? [] : [{ text, styles: around }];
  const scanner = new Scanner(text, style);
  scanner.scan();
  return scanner.pieces(around);
}

const SPECIAL = /[\\`*_~[\]<>&!:]/;
/** What a backslash may stand before. Fewer than in the standard, so that paths and patterns keep their characters. */
const ESCAPABLE = "\\`*_[]<>~|#";
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&nbsp;": " ",
};
/** Everything up to the next sign, or to where an address may start. */
const PLAIN = /(?:[^\\`*_~[\]<>&!hmw]|(?<=[\p{L}\p{N}_])[hmw]|h(?!ttps?:)|m(?!ailto:)|w(?!ww\.)|!(?!\[))+/iuy;

type Mark = "bold" | "italic" | "strike";

interface Token {
  text: string;
  readonly code?: boolean;
  /** Where a link starts, and where it ends. */
  link?: LinkTarget;
  linkEnd?: boolean;
  /** Applied before the text, and after it. */
  off?: Mark[];
  on?: Mark[];
}

interface Delimiter {
  readonly token: number;
  readonly character: string;
  readonly length: number;
  left: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

class Scanner {
  readonly #text: string;
  readonly #style: InlineStyle;
  readonly #tokens: Token[] = [];
  readonly #delimiters: Delimiter[] = [];
  #open: readonly Delimiter[] = [];
  readonly #brackets: { readonly token: number; readonly delimiters: number; readonly image: boolean }[] = [];
  #backticks: Map<number, number[]> | undefined;
  #nextParenthesis = -1;
  #at = 0;

  constructor(text: string, style: InlineStyle) {
    this.#text = text;
    this.#style = style;
  }

  scan(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const character = text[this.#at]!;
      if (character === "\\") this.#escape();
      else if (character === "`") this.#code();
      else if (character === "*" || character === "_" || character === "~") this.#delimiter(character);
      else if (character === "!" && text[this.#at + 1] === "[") this.#bracket(true);
      else if (character === "[") this.#bracket(false);
      else if (character === "]") this.#closeBracket();
      else if (character === "<") this.#angle();
      else if (character === "&") this.#entity();
      else if (character === "h" || character === "m" || character === "w") this.#bareUrl();
      else this.#plain();
    }
    this.#match(0);
    if (this.#style.unfinished) this.#leaveOpen();
  }

  pieces(around: readonly StyleName[]): StyledText[] {
    const pieces: StyledText[] = [];
    const depth: Record<Mark, number> = { bold: 0, italic: 0, strike: 0 };
    const lists = new Map<string, StyleName[]>();
    const styles = (code: boolean): readonly StyleName[] => {
      const key = `${depth.bold > 0}${depth.italic > 0}${depth.strike > 0}${code}`;
      let list = lists.get(key);
      if (!list) {
        list = [...around, ...MARKS.filter((mark) => depth[mark] > 0), ...(code ? (["code"] as const) : [])];
        lists.set(key, list);
      }
      return list;
    };
    // An address in the text of a link is only text: what counts is the outer one.
    let nested = 0;
    let link: { readonly target: LinkTarget; readonly from: number } | undefined;
    for (const token of this.#tokens) {
      if (token.off) for (const mark of token.off) depth[mark]--;
      if (token.text !== "") pieces.push({ text: token.text, styles: styles(token.code === true) });
      if (token.on) for (const mark of token.on) depth[mark]++;
      if (token.link && nested++ === 0) link = { target: token.link, from: pieces.length };
      if (token.linkEnd && --nested === 0 && link) {
        for (const piece of linkText(link.target, pieces.splice(link.from), this.#style)) pieces.push(piece);
        link = undefined;
      }
    }
    return pieces;
  }

  #push(text: string, code = false): Token {
    const token: Token = { text, code };
    this.#tokens.push(token);
    return token;
  }

  #plain(): void {
    PLAIN.lastIndex = this.#at;
    const text = PLAIN.exec(this.#text)?.[0] ?? this.#text[this.#at]!;
    this.#push(text);
    this.#at += text.length;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1];
    if (next === "\n") {
      this.#at++;
      return;
    }
    const path = windowsPathAt(this.#text, this.#at);
    if (path > 0) {
      this.#push(this.#text.slice(this.#at, this.#at + path));
      this.#at += path;
    } else if (next !== undefined && (ESCAPABLE.includes(next) || this.#startsListSign(next))) {
      this.#push(next);
      this.#at += 2;
    } else {
      this.#push("\\");
      this.#at++;
    }
  }

  /** `1\.` and `\- ` are written to avoid a list. */
  #startsListSign(next: string): boolean {
    const before = this.#at === 0 ? "\n" : this.#text[this.#at - 1]!;
    if (next === "." || next === ")") return /\d/.test(before);
    return (next === "-" || next === "+") && /\s/.test(before);
  }

  #code(): void {
    const length = runLength(this.#text, this.#at);
    const from = this.#at + length;
    const end = this.#closingBackticks(length, from);
    if (end === undefined && !(this.#style.unfinished && length === 1)) {
      this.#push("`".repeat(length));
      this.#at = from;
      return;
    }
    let code = this.#text.slice(from, end).replaceAll("\n", " ");
    if (code.length > 2 && code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "") code = code.slice(1, -1);
    const sign = this.#style.backticks ? "`".repeat(length) : "";
    this.#push(`${sign}${code}${sign}`, true);
    this.#at = end === undefined ? this.#text.length : end + length;
  }

  /** The places of all runs are collected once; each is skipped for good when it was passed. */
  #closingBackticks(length: number, from: number): number | undefined {
    if (!this.#backticks) {
      this.#backticks = new Map();
      for (const { 0: run, index } of this.#text.matchAll(/`+/g)) {
        const places = this.#backticks.get(run.length);
        if (places) places.push(index);
        else this.#backticks.set(run.length, [index]);
      }
      for (const places of this.#backticks.values()) places.reverse();
    }
    const places = this.#backticks.get(length);
    while (places && places.length > 0 && places.at(-1)! < from) places.pop();
    return places?.at(-1);
  }

  #delimiter(character: string): void {
    const length = runLength(this.#text, this.#at);
    const end = this.#at + length;
    const opens = opensEmphasis(this.#text, this.#at, end);
    const closes = closesEmphasis(this.#text, this.#at, end);
    this.#push(this.#text.slice(this.#at, end));
    this.#at = end;
    if (character === "~" && length !== 2) return;
    if (opens || closes)
      this.#delimiters.push({ token: this.#tokens.length - 1, character, length, left: length, opens, closes });
  }

  #bracket(image: boolean): void {
    this.#push(image ? "![" : "[");
    this.#at += image ? 2 : 1;
    this.#brackets.push({ token: this.#tokens.length - 1, delimiters: this.#delimiters.length, image });
  }

  #closeBracket(): void {
    const open = this.#brackets.pop();
    const target = open && this.#destination();
    if (!target) {
      this.#push("]");
      this.#at++;
      return;
    }
    this.#match(open.delimiters);
    const token = this.#tokens[open.token]!;
    token.text = "";
    token.link = target;
    this.#push("").linkEnd = true;
    this.#at = target.end;
    // A link contains no other link, but it may contain an image.
    if (!open.image) this.#brackets.length = 0;
  }

  /** Looks at each parenthesis once, so that many links without an end stay cheap. */
  #destination(): ReturnType<typeof destinationAt> {
    if (this.#text[this.#at + 1] !== "(") return undefined;
    if (this.#nextParenthesis < this.#at) {
      const next = this.#text.indexOf(")", this.#at);
      this.#nextParenthesis = next === -1 ? this.#text.length : next;
    }
    return this.#nextParenthesis === this.#text.length ? undefined : destinationAt(this.#text, this.#at + 1);
  }

  #angle(): void {
    const link = autolinkAt(this.#text, this.#at);
    if (link) this.#link(link.url, this.#text.slice(this.#at + 1, link.end - 1), link.end);
    else this.#one();
  }

  #bareUrl(): void {
    const link = bareUrlAt(this.#text, this.#at);
    if (link) this.#link(link.url, this.#text.slice(this.#at, link.end), link.end);
    else this.#one();
  }

  #link(url: string, text: string, end: number): void {
    this.#at = end;
    this.#push("").link = { url };
    this.#push(text);
    this.#push("").linkEnd = true;
  }

  #one(): void {
    this.#push(this.#text[this.#at]!);
    this.#at++;
  }

  #entity(): void {
    const ahead = this.#text.slice(this.#at, this.#at + 8);
    const name = ahead.slice(0, ahead.indexOf(";") + 1);
    this.#push(ENTITIES[name] ?? "&");
    this.#at += ENTITIES[name] === undefined ? 1 : name.length;
  }

  /** Pairs the delimiters from `bottom` on, as in the standard: closers look back no further than they must. */
  #match(bottom: number): void {
    const all = this.#delimiters;
    const open: Delimiter[] = [];
    // For each kind of closer: below this height of the stack there is no opener for it.
    const floors = new Map<string, number>();
    for (let at = bottom; at < all.length; at++) {
      const closer = all[at]!;
      while (closer.closes && closer.left > 0) {
        const key = `${closer.character}${closer.opens}${closer.length % 3}`;
        const floor = floors.get(key) ?? 0;
        let found = open.length - 1;
        while (found >= floor && !pairs(open[found]!, closer)) found--;
        if (found < floor) {
          floors.set(key, open.length);
          break;
        }
        const opener = open[found]!;
        const strong = opener.left >= 2 && closer.left >= 2;
        const mark: Mark = closer.character === "~" ? "strike" : strong ? "bold" : "italic";
        const used = strong ? 2 : 1;
        opener.left -= used;
        closer.left -= used;
        this.#setText(opener);
        (this.#tokens[opener.token]!.on ??= []).push(mark);
        (this.#tokens[closer.token]!.off ??= []).push(mark);
        open.length = opener.left > 0 ? found + 1 : found;
        for (const [kind, height] of floors) if (height > open.length) floors.set(kind, open.length);
      }
      if (closer.opens && closer.left > 0) open.push(closer);
      this.#setText(closer);
    }
    all.length = bottom;
    if (bottom === 0) this.#open = open;
  }

  #setText({ token, character, left }: Delimiter): void {
    this.#tokens[token]!.text = character.repeat(left);
  }

  #leaveOpen(): void {
    for (const delimiter of this.#open) {
      if (delimiter.left === 0 || delimiter.left > 2 || delimiter.token === this.#tokens.length - 1) continue;
      const token = this.#tokens[delimiter.token]!;
      (token.on ??= []).push(delimiter.character === "~" ? "strike" : delimiter.left === 2 ? "bold" : "italic");
      token.text = "";
    }
  }
}

const MARKS = ["bold", "italic", "strike"] as const;

function pairs(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.character !== closer.character) return false;
  if (!opener.closes && !closer.opens) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end++;
  return end - at;
}

const WINDOWS_PATH = /\\[^\s`]{0,1000}/y;

/** The length of the rest of `C:\a\b` or `\\server\share` from the backslash at `at`; 0 if there is none. */
function windowsPathAt(text: string, at: number): number {
  const drive = /[A-Za-z]/.test(text[at - 2] ?? "") && text[at - 1] === ":" && !/\w/.test(text[at - 3] ?? "");
  const share = text[at + 1] === "\\" && /\w/.test(text[at + 2] ?? "") && !/\S/.test(text[at - 1] ?? " ");
  if (!drive && !share) return 0;
  WINDOWS_PATH.lastIndex = at;
  let length = WINDOWS_PATH.exec(text)?.[0].length ?? 0;
  while (length > 1 && "*_~.,;:!?)]".includes(text[at + length - 1]!)) length--;
  return length;
}
