// Blocks to rows. Remembers only what came before: for the space between blocks, the markers of items that are shown
// already, and the state of the code block that continues.

import { expandTabs, paintStyled, styledWidth, UNSTYLED, type StyledText } from "../code/styled-text.ts";
import { wrapCode, wrapWords } from "../code/wrap.ts";
import type * as CodeColors from "@keelson/client/code-colors";
import type { StyleName, Theme } from "../theme/theme.ts";
import type { MarkdownBlock, CodeBlock, BlockContainer } from "./blocks/block.ts";
import { joinFilledLines } from "./filled-lines.ts";
import { inlineText, type InlineStyle } from "./inline/inline.ts";
import { tableRows } from "./table.ts";

export interface RenderBlockOptions {
  readonly unfinished?: boolean;
}

export class BlockRenderer {
  #previous: MarkdownBlock | undefined;
  #code: { readonly block: CodeBlock; readonly highlighter: CodeColors.LineHighlighter } | undefined;

  /** One that continues from here without changing this one. */
  fork(): BlockRenderer {
    const fork = new BlockRenderer();
    fork.#previous = this.#previous;
    fork.#code = this.#code && { block: this.#code.block, highlighter: this.#code.highlighter.fork() };
    return fork;
  }

  render(blocks: readonly MarkdownBlock[], columns: number, theme: Theme, options: RenderBlockOptions = {}): string[] {
    const rows: string[] = [];
    for (const [at, block] of blocks.entries()) {
      const prefix = new Prefix(block.containers, this.#previous?.containers ?? NO_CONTAINERS, columns, theme);
      const previous = this.#previous;
      if (previous && needsGap(previous, block)) rows.push(blankRow(previous, block, columns, theme));
      const last = options.unfinished === true && at === blocks.length - 1;
      for (const content of this.#content(block, prefix.room, theme, last)) rows.push(prefix.row(content, theme));
      this.#previous = block;
    }
    return rows;
  }

  #content(
    block: MarkdownBlock,
    columns: number,
    theme: Theme,
    unfinished: boolean,
  ): readonly (readonly StyledText[])[] {
    const quoted = block.containers.some(({ kind }) => kind === "quote");
    const around: readonly StyleName[] = quoted ? ["quote"] : UNSTYLED;
    const inline: InlineStyle = {
      hyperlinks: theme.hyperlinks,
      backticks: theme.colors === 0,
      unfinished,
      spoken: theme.spoken === true,
    };
    switch (block.kind) {
      case "paragraph":
        return wrapWords(inlineText(joinFilledLines(block.text), inline, around), columns);
      case "heading": {
        const styles: StyleName[] = block.level === 1 ? ["heading", "underline"] : ["heading"];
        return wrapWords(inlineText(block.text, inline, styles), columns);
      }
      case "rule":
        if (theme.spoken) return [];
        return [[{ text: (theme.ascii ? "-" : "─").repeat(Math.min(columns, 80)), styles: ["border"] }]];
      case "table":
        return tableRows(block.table, columns, inline, theme);
      case "html":
        return wrapWords([{ text: expandTabs(block.line), styles: around }], columns);
      case "code":
        return this.#codeRows(block, columns);
    }
  }

  #codeRows(block: MarkdownBlock & { kind: "code" }, columns: number): readonly (readonly StyledText[])[] {
    if (this.#code?.block !== block.code) {
      // The tokenizer is needed only for code; the first frame has none.
      const colors = require("@keelson/client/code-colors") as typeof CodeColors;
      this.#code = { block: block.code, highlighter: colors.lineHighlighter(block.code.info.split(/\s/)[0]) };
    }
    const { highlighter } = this.#code;
    const indent = columns > 8 ? 2 : 0;
    const margin: StyledText = { text: " ".repeat(indent), styles: UNSTYLED };
    const { info } = block.code;
    const labelled = block.first && info !== "" && !(highlighter.known && /^[\w+#-]+$/.test(info));
    const label = labelled ? wrapWords([{ text: expandTabs(block.code.info), styles: ["dim"] }], columns - indent) : [];
    const code = wrapCode(highlighter.line(expandTabs(block.line)), columns - indent);
    return label.concat(code).map((row) => [margin, ...row]);
  }
}

const NO_CONTAINERS: readonly BlockContainer[] = [];

/** What is in front of the rows of a block: quote bars, list markers, and the space below them. */
class Prefix {
  readonly room: number;
  #first: StyledText[] | undefined;
  readonly #rest: StyledText[];

  constructor(containers: readonly BlockContainer[], shown: readonly BlockContainer[], columns: number, theme: Theme) {
    const first: StyledText[] = [];
    this.#rest = [];
    let depth = 0;
    for (const container of containers) {
      if (container.kind === "quote" && theme.spoken) {
        if (!shown.includes(container)) first.push({ text: "Quote: ", styles: UNSTYLED });
        continue;
      }
      if (container.kind === "quote") {
        const bar: StyledText = { text: theme.ascii ? "| " : "▎ ", styles: ["border"] };
        first.push(bar);
        this.#rest.push(bar);
        continue;
      }
      const marker = itemMarker(container, depth, theme);
      if (!container.ordered) depth++;
      const space: StyledText = { text: " ".repeat(styledWidth([marker])), styles: UNSTYLED };
      first.push(shown.includes(container) ? space : marker);
      this.#rest.push(space);
    }
    // Deep nesting must leave room for the text: the outer levels are cut off.
    while (this.#rest.length > 0 && styledWidth(this.#rest) > columns / 2) {
      first.shift();
      this.#rest.shift();
    }
    this.#first = first;
    this.room = Math.max(1, columns - styledWidth(this.#rest));
  }

  row(content: readonly StyledText[], theme: Theme): string {
    const prefix = this.#first ?? this.#rest;
    this.#first = undefined;
    return withoutTrailingSpace(prefix.length === 0 ? content : [...prefix, ...content], theme);
  }
}

function itemMarker(item: BlockContainer & { kind: "item" }, depth: number, theme: Theme): StyledText {
  if (item.task) {
    const done = item.task === "done";
    const box = theme.ascii ? (done ? "[x]" : "[ ]") : done ? "☑" : "☐";
    return { text: item.ordered ? `${item.marker} ${box} ` : `${box} `, styles: done ? ["success"] : UNSTYLED };
  }
  if (item.ordered) return { text: `${item.marker} `, styles: UNSTYLED };
  const bullets = theme.ascii ? "-*+" : "•◦▪";
  return { text: `${bullets[depth % bullets.length]} `, styles: UNSTYLED };
}

/** Whether a row stays empty between two blocks. Lists are as loose or tight as they were written. */
function needsGap(previous: MarkdownBlock, block: MarkdownBlock): boolean {
  if ((block.kind === "code" || block.kind === "html") && !block.first) return false;
  if (block.gap) return true;
  const [before] = previous.containers;
  const [around] = block.containers;
  if (before && around) return before.kind !== around.kind;
  return previous.kind !== "paragraph" || block.kind !== "paragraph";
}

function blankRow(previous: MarkdownBlock, block: MarkdownBlock, columns: number, theme: Theme): string {
  const shared = block.containers.filter((container) => previous.containers.includes(container));
  return new Prefix(shared, shared, columns, theme).row([], theme);
}

function withoutTrailingSpace(pieces: readonly StyledText[], theme: Theme): string {
  let end = pieces.length;
  while (end > 0 && pieces[end - 1]!.text.trim() === "") end--;
  const last = pieces[end - 1];
  if (!last) return "";
  if (end === pieces.length && !last.text.endsWith(" ")) return paintStyled(pieces, theme);
  return paintStyled([...pieces.slice(0, end - 1), { ...last, text: last.text.trimEnd() }], theme);
}
