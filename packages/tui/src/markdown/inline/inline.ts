// The inline part of Markdown: emphasis, code, links, escapes. One pass with a stack of open marks; every look ahead is
// bounded, so the cost is linear in the text. What is not understood stays as it was written.

import type { StyleName } from "../../theme/theme.ts";
import { UNSTYLED, type StyledText } from "../../code/styled-text.ts";
import {
  EMPHASIS_MARKS,
  leaveOpen,
  pairDelimiters,
  type DelimiterRun,
  type EmphasisMark,
  type EmphasisToken,
} from "./emphasis.ts";
import { entityAt, escapeAt } from "./escapes.ts";
import { closesEmphasis, opensEmphasis } from "./flanking.ts";
import { autolinkAt, bareUrlAt, destinationAt, linkText, type LinkStyle, type LinkTarget } from "./link.ts";

export interface InlineStyle extends LinkStyle {
  /** Code keeps its backticks where no color can set it apart. */
  readonly backticks: boolean;
  /** For screen readers: what is struck through is marked in words. */
  readonly spoken?: boolean;
  /** The text continues: marks that are still open apply up to its end. */
  readonly unfinished?: boolean;
}

/** The text is clean. `around` is put outside of every style found. */
export function inlineText(source: string, style: InlineStyle, around: readonly StyleName[] = UNSTYLED): StyledText[] {
  const text = source.replaceAll("\t", " ");
  if (!SPECIAL.test(text)) return text === "" ? [] : [{ text, styles: around }];
  const scanner = new Scanner(text, style);
  scanner.scan();
  return scanner.pieces(around);
}

const SPECIAL = /[\\`*_~[\]<>&:]|www\./i;
/** Everything up to the next sign, or to where an address may start. */
const PLAIN = /(?:[^\\`*_~[\]<>&!hmw]|(?<=[\p{L}\p{N}_])[hmw]|h(?!ttps?:)|m(?!ailto:)|w(?!ww\.)|!(?!\[))+/iuy;

interface Token extends EmphasisToken {
  readonly code?: boolean;
  /** Where a link starts, and where it ends. */
  link?: LinkTarget;
  linkEnd?: boolean;
}

class Scanner {
  readonly #text: string;
  readonly #style: InlineStyle;
  readonly #tokens: Token[] = [];
  readonly #runs: DelimiterRun[] = [];
  readonly #brackets: { readonly token: Token; readonly runs: number; readonly image: boolean }[] = [];
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
      if (character === "\\") this.#replace(escapeAt(text, this.#at));
      else if (character === "`") this.#code();
      else if (character === "*" || character === "_" || character === "~") this.#delimiter(character);
      else if (character === "!" && text[this.#at + 1] === "[") this.#bracket(true);
      else if (character === "[") this.#bracket(false);
      else if (character === "]") this.#closeBracket();
      else if (character === "<") this.#angle();
      else if (character === "&") this.#replace(entityAt(text, this.#at));
      else if (character === "h" || character === "m" || character === "w") this.#bareUrl();
      else this.#plain();
    }
    const open = pairDelimiters(this.#runs, 0);
    if (this.#style.unfinished) leaveOpen(open, this.#tokens.at(-1));
  }

  pieces(around: readonly StyleName[]): StyledText[] {
    const pieces: StyledText[] = [];
    const depth: Record<EmphasisMark, number> = { bold: 0, italic: 0, strike: 0 };
    const lists = new Map<number, readonly StyleName[]>();
    const styles = (code: boolean): readonly StyleName[] => {
      const key = (depth.bold > 0 ? 1 : 0) + (depth.italic > 0 ? 2 : 0) + (depth.strike > 0 ? 4 : 0) + (code ? 8 : 0);
      if (key === 0) return around;
      let list = lists.get(key);
      if (!list) {
        list = [...around, ...EMPHASIS_MARKS.filter((mark) => depth[mark] > 0), ...(code ? (["code"] as const) : [])];
        lists.set(key, list);
      }
      return list;
    };
    // An address in the text of a link is only text: what counts is the outer one.
    let nested = 0;
    let link: { readonly target: LinkTarget; readonly from: number } | undefined;
    for (const token of this.#tokens) {
      if (token.off) {
        for (const mark of token.off) {
          depth[mark]--;
          if (mark === "strike" && this.#style.spoken && depth.strike === 0) pieces.push({ text: "]", styles: around });
        }
      }
      if (token.text !== "") pieces.push({ text: token.text, styles: styles(token.code === true) });
      if (token.on) {
        for (const mark of token.on) {
          depth[mark]++;
          if (mark === "strike" && this.#style.spoken && depth.strike === 1)
            pieces.push({ text: "[struck: ", styles: around });
        }
      }
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

  #replace({ text, length }: { readonly text: string; readonly length: number }): void {
    if (text !== "") this.#push(text);
    this.#at += length;
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

  /** The places of all runs are collected once; one that was passed is not looked at again. */
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
    const token = this.#push(this.#text.slice(this.#at, end));
    this.#at = end;
    if (character === "~" && length !== 2) return;
    if (opens || closes) this.#runs.push({ token, character, length, left: length, opens, closes });
  }

  #bracket(image: boolean): void {
    const token = this.#push(image ? "![" : "[");
    this.#at += image ? 2 : 1;
    this.#brackets.push({ token, runs: this.#runs.length, image });
  }

  #closeBracket(): void {
    const open = this.#brackets.pop();
    const target = open && this.#destination();
    if (!target) {
      this.#push("]");
      this.#at++;
      return;
    }
    pairDelimiters(this.#runs, open.runs);
    open.token.text = "";
    open.token.link = target;
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
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end++;
  return end - at;
}
