// An answer that grows, as blocks of Markdown. A block that cannot change any more keeps its place and its text, so it is drawn
// once; only what is behind it is read again, and that is never long.

import { TextParts, type GrowingText } from "@keelson/client";
import {
  blocksIn,
  LIMITS,
  longLineEnd,
  restOfLine,
  type MarkdownBlock,
  type PieceLimits,
  type RestOfBlock,
} from "./markdown-blocks.ts";

export class MarkdownText implements GrowingText {
  readonly #limits: PieceLimits;
  /** Blocks that will not change, in sections of which only the last one grows. */
  readonly #done: MarkdownBlock[][] = [];
  /** All that came, as it came. */
  readonly #whole = new TextParts();
  /** What was read and can change; its lines end in one way. */
  #tail = "";
  /** A line end was read that may have a second character. */
  #endsInReturn = false;
  /** If the tail begins within a block. */
  #rest: RestOfBlock | undefined;
  /** What came and was not read. */
  #unread = "";
  #shown: readonly (readonly MarkdownBlock[])[] | undefined;

  constructor(limits: PieceLimits = LIMITS) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#whole.length;
  }

  push(text: string): void {
    this.#unread += text;
    this.#whole.push(text);
  }

  end(): void {
    // What is not complete is drawn all the same.
  }

  whole(): string {
    return this.#whole.whole();
  }

  get isRead(): boolean {
    return this.#unread === "";
  }

  /** Takes in what came, or about so many characters of it, so that drawing it takes no longer than that; returns how many. */
  read(most = Number.POSITIVE_INFINITY): number {
    const end = this.#unread.length <= most ? this.#unread.length : beforeSplit(this.#unread, most);
    for (let at = 0; at < end; at += READ_AT_ONCE) {
      this.#take(this.#unread.slice(at, Math.min(at + READ_AT_ONCE, end)));
      this.#settle();
    }
    this.#unread = this.#unread.slice(end);
    if (end > 0) this.#shown = undefined;
    return end;
  }

  #take(text: string): void {
    const own = this.#endsInReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endsInReturn = text.endsWith("\r");
    this.#tail += own.replaceAll(/\r\n?/g, "\n");
  }

  /** What was read, as blocks, each with the blank lines behind it, in sections. A section that is full stays the same value. */
  get sections(): readonly (readonly MarkdownBlock[])[] {
    return (this.#shown ??= this.#sections());
  }

  #sections(): readonly (readonly MarkdownBlock[])[] {
    // The one that grows is a new value each time.
    const sections = this.#done.map((section) => (isFull(section) ? section : section.slice()));
    for (const block of blocksIn(this.#tail, this.#rest, this.#limits)) addTo(sections, block);
    return sections;
  }

  /** Keeps what cannot change any more. */
  #settle(): void {
    for (let end = longLineEnd(this.#tail, this.#rest, this.#limits); end > 0;) {
      const blocks = blocksIn(this.#tail.slice(0, end), this.#rest, this.#limits);
      this.#keep(blocks);
      this.#rest = restOfLine(blocks.at(-1)!);
      end = longLineEnd(this.#tail, this.#rest, this.#limits);
    }
    if (this.#tail.length < this.#limits.long / 4) return;
    // A line that is not complete may be read in another way: a dash is a rule, a heading or an item.
    const lines = this.#tail.slice(0, this.#tail.lastIndexOf("\n") + 1);
    const blocks = blocksIn(lines, this.#rest, this.#limits);
    const cut = blocks.findLastIndex(({ isCut }) => isCut);
    // The next to last can still grow into one with the last: a list continues after a blank line.
    this.#keep(blocks.slice(0, Math.max(cut + 1, blocks.length - UNSETTLED)));
  }

  #keep(blocks: readonly MarkdownBlock[]): void {
    for (const block of blocks) {
      addTo(this.#done, block);
      this.#tail = this.#tail.slice(block.raw.length);
      this.#rest = block.next;
    }
  }
}

const READ_AT_ONCE = 8_000;
const UNSETTLED = 2;
const IN_SECTION = 40;
const CHARS_IN_SECTION = 12_000;

const isFull = (section: readonly MarkdownBlock[]) =>
  section.length >= IN_SECTION || section.reduce((sum, { raw }) => sum + raw.length, 0) >= CHARS_IN_SECTION;

function addTo(sections: MarkdownBlock[][], block: MarkdownBlock): void {
  const last = sections.at(-1);
  if (last && !isFull(last)) last.push(block);
  else sections.push([block]);
}

/** Where a text of about this length ends without half a character. */
function beforeSplit(text: string, most: number): number {
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most;
}
