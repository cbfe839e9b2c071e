// Cuts Markdown into blocks, line by line. A line is looked at once and never again: what a block is depends on the lines
// before it only, so the blocks are the same however the text arrives.

import type { BlockContainer, CodeBlock, MarkdownBlock, PlacedBlock } from "./block.ts";
import { lastPart, type Leaf } from "./leaf.ts";
import {
  expandIndent,
  fenceAt,
  headingAt,
  htmlAt,
  htmlEnds,
  indentOf,
  isClosingFence,
  isQuote,
  isRule,
  itemAt,
  withoutQuote,
} from "./line.ts";
import { delimiterRow, headerCells, tableCells } from "./table-rows.ts";

/** Deeper ones are text: no one reads that, and it keeps a line of a million `>` cheap. */
const MAX_DEPTH = 24;

export class BlockReader {
  #containers: readonly BlockContainer[] = [];
  #leaf: Leaf | undefined;
  #gap = false;
  #blocks: MarkdownBlock[] = [];

  /** Blocks finished since the last call. */
  take(): readonly MarkdownBlock[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** A reader that continues from here without changing this one. Of a long block it has only the last part. */
  fork(maxCharacters: number, maxRows: number): BlockReader {
    const fork = new BlockReader();
    fork.#containers = this.#containers;
    fork.#gap = this.#gap;
    fork.#leaf = this.#leaf && lastPart(this.#leaf, maxCharacters, maxRows);
    return fork;
  }

  /** Reads a line without its end. */
  line(text: string): void {
    let rest = expandIndent(text);
    let matched = 0;
    for (const container of this.#containers) {
      const inner = this.#inside(container, rest);
      if (inner === undefined) break;
      rest = inner;
      matched++;
    }
    if (this.#verbatim(rest, matched)) return;

    const before = this.#containers;
    let containers = before.slice(0, matched);
    const paragraph = this.#leaf?.kind === "paragraph" && matched === before.length;
    for (;;) {
      if (indentOf(rest) >= 4 || containers.length >= MAX_DEPTH) break;
      if (isQuote(rest)) {
        containers = [...containers, { kind: "quote" }];
        rest = withoutQuote(rest);
        continue;
      }
      if (isRule(rest)) break;
      const interrupts = paragraph && containers.length === matched && this.#hasLines();
      const item = itemAt(rest, interrupts);
      if (!item) break;
      containers = [...containers, item.container];
      rest = item.rest;
    }
    const opened = containers.length > matched;
    if (!opened && matched < before.length && this.#isLazy(rest)) {
      this.#addToParagraph(rest);
      return;
    }
    if (opened || matched < before.length) {
      this.#close();
      this.#containers = containers;
    }
    this.#content(rest, opened);
  }

  end(): void {
    this.#close();
    this.#containers = [];
  }

  /** The rest of the line inside a container, or undefined if the line is not in it. */
  #inside(container: BlockContainer, rest: string): string | undefined {
    if (container.kind === "quote") return isQuote(rest) ? withoutQuote(rest) : undefined;
    if (rest.trim() === "") return "";
    const indent = indentOf(rest);
    if (indent >= container.indent) return rest.slice(container.indent);
    // Lists inside numbered ones are often indented by two only; code inside of lists often not at all.
    if (container.ordered && indent >= container.offset + 2 && itemAt(rest, false)) return rest.slice(indent);
    return this.#leaf?.kind === "fence" ? rest.trimStart() : undefined;
  }

  /** Takes lines of code and HTML blocks, whose content is no Markdown. */
  #verbatim(rest: string, matched: number): boolean {
    const leaf = this.#leaf;
    if (leaf?.kind === "fence" && matched === this.#containers.length) {
      if (isClosingFence(rest, leaf.fence)) {
        if (leaf.first) this.#code(leaf, "");
        this.#leaf = undefined;
      } else this.#code(leaf, rest.slice(Math.min(leaf.fence.indent, indentOf(rest))));
      return true;
    }
    if (leaf?.kind === "html" && matched === this.#containers.length) {
      if (!leaf.until && rest.trim() === "") return false;
      this.#html(leaf, rest);
      return true;
    }
    return false;
  }

  #content(rest: string, opened: boolean): void {
    const leaf = this.#leaf;
    if (rest.trim() === "") {
      if (leaf?.kind === "indented") leaf.blank.push(rest.slice(4));
      else if (opened) this.#start({ kind: "paragraph", lines: [], length: 0, ...this.#place() });
      else {
        this.#close();
        this.#gap = true;
      }
      return;
    }
    if (indentOf(rest) >= 4 && leaf?.kind !== "paragraph") {
      if (leaf?.kind !== "indented") {
        this.#close();
        this.#start({ kind: "indented", code: { info: "" }, first: true, blank: [], ...this.#place() });
      }
      this.#indented(rest.slice(4));
      return;
    }
    if (leaf?.kind === "indented") this.#close();
    const heading = headingAt(rest);
    const fence = fenceAt(rest);
    if (leaf?.kind === "paragraph" && this.#underline(leaf.lines, rest)) return;
    if (heading) {
      this.#close();
      this.#emit({ kind: "heading", ...heading, ...this.#place() });
    } else if (fence) {
      this.#close();
      this.#start({ kind: "fence", fence, code: { info: fence.info }, first: true, ...this.#place() });
    } else if (isRule(rest)) {
      this.#close();
      this.#emit({ kind: "rule", ...this.#place() });
    } else this.#text(rest);
  }

  #text(rest: string): void {
    const leaf = this.#leaf;
    if (leaf?.kind === "table") {
      if (rest.includes("|")) {
        leaf.rows.push(tableCells(rest, leaf.header.length));
        return;
      }
      this.#close();
    }
    if (leaf?.kind === "paragraph") {
      this.#addToParagraph(rest);
      return;
    }
    const html = htmlAt(rest);
    if (html) {
      this.#start({ kind: "html", until: html.until, first: true, ...this.#place() });
      this.#html(this.#leaf as Leaf & { kind: "html" }, rest);
      return;
    }
    this.#start({ kind: "paragraph", lines: [rest.trimStart()], length: rest.length, ...this.#place() });
  }

  #addToParagraph(rest: string): void {
    const leaf = this.#leaf;
    if (leaf?.kind !== "paragraph") return;
    const alignments = delimiterRow(rest);
    const last = leaf.lines.at(-1);
    const header = alignments && last !== undefined ? headerCells(last, alignments.length) : undefined;
    if (alignments && header) {
      const { containers, gap } = leaf;
      leaf.lines.pop();
      if (leaf.lines.length > 0) this.#close();
      this.#leaf = { kind: "table", header, alignments, rows: [], containers, gap };
      return;
    }
    leaf.lines.push(rest.trimStart());
    leaf.length += rest.length + 1;
  }

  /** A line of `===` or `---` makes the one line above it a heading. */
  #underline(lines: readonly string[], rest: string): boolean {
    if (lines.length !== 1 || !/^ {0,3}(={3,}|-{3,})\s*$/.test(rest)) return false;
    const place = { containers: this.#leaf!.containers, gap: this.#leaf!.gap };
    this.#leaf = undefined;
    this.#emit({ kind: "heading", level: rest.includes("=") ? 1 : 2, text: lines[0]!.trim(), ...place });
    return true;
  }

  /** Whether a line continues with the paragraph although the signs of its containers are missing. */
  #isLazy(rest: string): boolean {
    if (this.#leaf?.kind !== "paragraph" || !this.#hasLines() || rest.trim() === "") return false;
    return !headingAt(rest) && !fenceAt(rest) && !isRule(rest);
  }

  #hasLines(): boolean {
    return this.#leaf?.kind === "paragraph" && this.#leaf.lines.length > 0;
  }

  #place(): PlacedBlock {
    const gap = this.#gap;
    this.#gap = false;
    return { containers: this.#containers, gap };
  }

  #start(leaf: Leaf): void {
    this.#leaf = leaf;
  }

  #emit(block: MarkdownBlock): void {
    this.#blocks.push(block);
  }

  #code(leaf: Leaf & { first: boolean; code: CodeBlock }, line: string): void {
    const { containers, gap, code, first } = leaf;
    this.#emit({ kind: "code", line, code, first, containers, gap });
    leaf.first = false;
  }

  #indented(line: string): void {
    const leaf = this.#leaf;
    if (leaf?.kind !== "indented") return;
    for (const blank of leaf.blank) this.#code(leaf, blank);
    leaf.blank = [];
    this.#code(leaf, line);
  }

  #html(leaf: Leaf & { kind: "html" }, line: string): void {
    const { containers, gap, first } = leaf;
    this.#emit({ kind: "html", line, first, containers, gap });
    leaf.first = false;
    if (leaf.until && htmlEnds(line, leaf.until)) this.#leaf = undefined;
  }

  #close(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (!leaf) return;
    const { containers, gap } = leaf;
    if (leaf.kind === "paragraph") {
      this.#emit({ kind: "paragraph", text: leaf.lines.join("\n"), containers, gap });
    } else if (leaf.kind === "table") {
      const { header, alignments, rows } = leaf;
      this.#emit({ kind: "table", table: { header, alignments, rows }, containers, gap });
    } else if (leaf.kind === "indented") this.#gap ||= leaf.blank.length > 0;
    else if (leaf.kind === "fence" && leaf.first) this.#code(leaf, "");
  }
}
