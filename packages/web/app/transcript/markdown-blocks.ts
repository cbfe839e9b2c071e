// Blocks of Markdown: paragraphs, lists, code. A long one is cut into pieces, so that what still grows is never long. Where it is
// cut follows from what stands before that place and from a little behind it, and not from how much of the text is there.

import { lexer, type Token, type Tokens } from "marked";

export interface MarkdownBlock {
  readonly raw: string;
  /** It goes on with a block that was cut before it. */
  readonly rest?: RestOfBlock | undefined;
  /** It was cut, so it does not change. */
  readonly isCut?: true;
  /** How what comes next is read. */
  readonly next?: RestOfBlock | undefined;
}

export interface RestOfBlock {
  readonly type: string;
  /** What has to stand in front so that it is read as a piece of that block; not shown. */
  readonly lead: string;
  /** Of the first item of a list. */
  readonly number?: number;
}

export interface PieceLimits {
  /** A list, table or paragraph is cut at the first good place behind so many characters. */
  readonly long: number;
  /** Any other block is cut at the first end of a line behind so many. */
  readonly hard: number;
  /** Code is cut there. */
  readonly code: number;
  /** A line that is not code is cut behind so many, between words. */
  readonly line: number;
  /** Or there, if it has no words. */
  readonly word: number;
}

export const LIMITS: PieceLimits = { long: 4_000, hard: 32_000, code: 60_000, line: 6_000, word: 500 };

/** They join to the text. */
export function blocksIn(text: string, rest: RestOfBlock | undefined, limits: PieceLimits): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (let at = 0, first = rest; at < text.length;) {
    const piece = piecesIn(text.slice(at), first, limits);
    blocks.push(...piece.blocks);
    at += piece.length;
    first = piece.blocks.at(-1)?.next;
  }
  return blocks;
}

interface ReadPieces {
  readonly blocks: MarkdownBlock[];
  readonly length: number;
}

/** As far as the first place where a block is cut. */
function piecesIn(text: string, first: RestOfBlock | undefined, limits: PieceLimits): ReadPieces {
  const blocks: MarkdownBlock[] = [];
  const lead = first?.lead ?? "";
  let at = 0;
  // Of a list that ends without a line end, what is left is not always what it was.
  const lines = text.endsWith("\n") ? text : `${text}\n`;
  for (const [place, token] of lexed(lead + lines).entries()) {
    const whole = place === 0 ? token.raw.slice(lead.length) : token.raw;
    const own = whole.slice(0, text.length - at);
    if (own === "") continue;
    // Tabs and line ends are not always kept as they were: then the rest is one block.
    const isKept = text.startsWith(own, at);
    const raw = isKept ? own : text.slice(at);
    const rest = place === 0 && (lead !== "" || token.type === first?.type) ? first : undefined;
    const cut = cutOf({ raw, token: isKept ? token : undefined, rest, isMore: text.length > at + raw.length }, limits);
    const last = blocks.at(-1);
    const block: MarkdownBlock = cut
      ? { raw: raw.slice(0, cut.length), rest, isCut: true, next: cut.next }
      : { raw, rest };
    // Blank lines belong to the block before them; the first ones, to the block behind them.
    if (last && isKept && (token.type === "space" || last.raw.trim() === ""))
      blocks[blocks.length - 1] = { ...block, rest: last.rest, raw: last.raw + block.raw };
    else blocks.push(block);
    at += block.raw.length;
    if (cut || !isKept) return { blocks, length: at };
  }
  if (at < text.length) blocks.push({ raw: text.slice(at) });
  return { blocks, length: text.length };
}

interface LongBlock {
  readonly raw: string;
  /** None if it is not known what it is. */
  readonly token: Token | undefined;
  readonly rest: RestOfBlock | undefined;
  /** Something stands behind it. */
  readonly isMore: boolean;
}

interface BlockCut {
  readonly length: number;
  readonly next?: RestOfBlock;
}

/** At the first place of any kind. */
function cutOf(block: LongBlock, limits: PieceLimits): BlockCut | undefined {
  const { raw, token, rest } = block;
  const type = token?.type ?? "";
  if (token && isFenced(token)) return lineCut(block, limits.code, { type, lead: rest?.lead || fenceOf(raw) });
  if (raw.length <= limits.long) return undefined;
  if (type === "table") return lineCut(block, limits.long, { type, lead: rest?.lead || headOf(raw) });
  if (type === "paragraph" || type === "heading") return lineCut(block, limits.long);
  const hard = lineCut(block, limits.hard);
  const clean = type === "list" ? itemCut(block, token as Tokens.List, limits.long) : undefined;
  return clean && !(hard && hard.length < clean.length) ? clean : hard;
}

export const isFenced = ({ type, codeBlockStyle }: Token & { codeBlockStyle?: unknown }) =>
  type === "code" && codeBlockStyle !== "indented";

/** At the first end of a line behind so many characters, if another line of the block follows. */
function lineCut({ raw, isMore }: LongBlock, behind: number, next?: RestOfBlock): BlockCut | undefined {
  const length = raw.length <= behind ? 0 : raw.indexOf("\n", behind) + 1;
  if (length === 0 || length === raw.length) return undefined;
  const isFollowed = isMore || raw.indexOf("\n", length) !== -1;
  return isFollowed ? { length, ...(next && { next }) } : undefined;
}

function itemCut({ raw, rest }: LongBlock, list: Tokens.List, behind: number): BlockCut | undefined {
  let length = 0;
  for (const [at, item] of list.items.slice(0, -1).entries()) {
    if (!raw.startsWith(item.raw, length)) return undefined;
    length += item.raw.length;
    if (length > behind)
      return { length, next: { type: "list", lead: "", number: (rest?.number ?? Number(list.start)) + at + 1 } };
  }
  return undefined;
}

const fenceOf = (raw: string) => raw.slice(0, raw.indexOf("\n") + 1);

const headOf = (raw: string) => raw.slice(0, raw.indexOf("\n", raw.indexOf("\n") + 1) + 1);

/** Where the first line that is too long is cut; 0 if none is, as far as can be seen yet. */
export function longLineEnd(text: string, rest: RestOfBlock | undefined, limits: PieceLimits): number {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const cut = wordEnd(text, start + limits.line, end, limits);
    if (cut > 0) {
      const isCode = restOfLine(blocksIn(text.slice(0, cut), rest, limits).at(-1)!).type === "code";
      const own = isCode ? wordEnd(text, start + limits.code, end, limits) : cut;
      if (own > 0) return own;
    }
    start = end + 1;
  }
  return 0;
}

/** Before the first space from there on; not in the middle of a character. */
function wordEnd(text: string, from: number, end: number, { word }: PieceLimits): number {
  const hard = from + word;
  const space = /[ \t]/g;
  space.lastIndex = from;
  const found = space.exec(text.slice(0, Math.min(end, hard)))?.index;
  if (found !== undefined) return found;
  return end > hard ? hard - (isLow(text.charCodeAt(hard)) ? 1 : 0) : 0;
}

const isLow = (code: number) => code >= 0xdc00 && code < 0xe000;

/** How the rest of a line is read that was cut behind this block. */
export function restOfLine({ raw, rest }: MarkdownBlock): RestOfBlock {
  const token = lexed((rest?.lead ?? "") + raw).at(-1);
  return token && isFenced(token)
    ? { type: "code", lead: rest?.lead || fenceOf(raw) }
    : { type: "paragraph", lead: TEXT_LEAD };
}

/** In front of the rest of a line: it does not begin with anything that Markdown gives a meaning to. */
export const TEXT_LEAD = "x";

/** The tokens of a text. Nesting that no one writes is not followed. */
export function lexed(text: string): readonly Token[] {
  try {
    return lexer(text, { gfm: true });
  } catch {
    return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] }];
  }
}
