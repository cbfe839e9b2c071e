// Writes Markdown while tags and text come in. Text gathers until a block ends; then the open lists and quotes say how
// its lines begin.

import { decodeEntities } from "./entities.ts";
import { INLINE_MARKS, linkMark, resolveLink, type Mark } from "./inline.ts";
import { tableBlocks, type TableCell } from "./table.ts";

type Attributes = ReadonlyMap<string, string>;

type Frame =
  | { readonly kind: "list"; readonly name: string; next: number }
  | { readonly kind: "item"; readonly name: string; readonly marker: string; used: boolean }
  | { readonly kind: "quote"; readonly name: string }
  | { readonly kind: "heading"; readonly name: string; readonly level: number }
  | { readonly kind: "mark"; readonly name: string; readonly mark: Mark; start: number };

const BLOCKS = new Set(
  "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav noscript ol option p pre section summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);

/** What is open deeper than this adds its text, and no formatting. */
const MAX_FRAMES = 40;
const MAX_MARKS = 8;
/** Lists and quotes: each of their lines begins with all of them. */
const MAX_INDENTS = 10;

export class MarkdownWriter {
  #base: string;
  #isBaseSet = false;
  readonly #out: string[] = [];
  #inline: string[] = [];
  #endsInSpace = true;
  #lastWasItem = false;
  readonly #frames: Frame[] = [];
  #pre: { language: string; text: string[] } | undefined;
  #table: OpenTable | undefined;
  #title: string[] = [];
  #inTitle = false;

  constructor(url: string) {
    this.#base = url;
  }

  text(raw: string): void {
    const text = decodeEntities(raw);
    if (this.#inTitle) this.#title.push(text);
    else if (this.#pre) this.#pre.text.push(text);
    else this.#add(text.replace(/\s+/g, " "));
  }

  open(name: string, attributes: Attributes): void {
    if (this.#pre) {
      if (name === "code") this.#pre.language ||= languageOf(attributes);
      return;
    }
    if (BLOCKS.has(name)) this.#flush();
    if (name === "title") this.#inTitle = this.#title.length === 0;
    else if (name === "pre") this.#pre = { language: languageOf(attributes), text: [] };
    else if (name === "table" || name === "tr" || name === "td" || name === "th") this.#openTablePart(name);
    else if (name === "li") this.#openItem();
    else if (name === "ul" || name === "ol" || name === "menu")
      this.#push({ kind: "list", name, next: startOf(attributes) });
    else if (name === "blockquote") this.#push({ kind: "quote", name });
    else if (/^h[1-6]$/.test(name)) this.#push({ kind: "heading", name, level: Number(name[1]) });
    else this.#openMark(name, attributes);
  }

  close(name: string): void {
    if (name === "title") this.#inTitle = false;
    if (this.#pre) {
      if (name === "pre") this.#endPre();
      return;
    }
    const index = this.#frames.findLastIndex((frame) => frame.name === name);
    if (BLOCKS.has(name)) this.#flush();
    if (index >= (this.#table?.cell?.base ?? 0)) this.#popTo(index);
    if (name === "table" || name === "tr" || name === "td" || name === "th") this.#closeTablePart(name);
  }

  /** An element without content. */
  single(name: string, attributes: Attributes): void {
    if (name === "br") this.#break();
    else if (name === "hr" && !this.#pre) {
      this.#flush();
      this.#emit("* * *");
    } else if (name === "img" && !this.#pre) this.#add(this.#image(attributes));
    else if (name === "base" && !this.#isBaseSet) {
      this.#isBaseSet = true;
      this.#base = resolveLink(attributes.get("href") ?? "", this.#base) ?? this.#base;
    }
  }

  title(): string {
    return this.#title.join("").replace(/\s+/g, " ").trim();
  }

  finish(): string {
    if (this.#pre) this.#endPre();
    this.#flush();
    if (this.#table) this.#closeTable(this.#table);
    return this.#out.join("");
  }

  #add(text: string): void {
    const added = this.#endsInSpace && text.startsWith(" ") ? text.slice(1) : text;
    if (added === "") return;
    this.#inline.push(added);
    this.#endsInSpace = added.endsWith(" ");
  }

  #break(): void {
    if (this.#pre) return void this.#pre.text.push("\n");
    this.#inline.push("\n");
    this.#endsInSpace = true;
  }

  #image(attributes: Attributes): string {
    const alt = decodeEntities(attributes.get("alt") ?? "")
      .replace(/\s+/g, " ")
      .trim();
    const source = resolveLink(attributes.get("src") ?? "", this.#base);
    if (alt === "") return "";
    return source === undefined ? alt : `![${alt}](${source})`;
  }

  #push(frame: Frame): void {
    const isFull =
      (frame.kind === "mark" && this.#count("mark") >= MAX_MARKS) ||
      ((frame.kind === "quote" || frame.kind === "item") && this.#count("quote") + this.#count("item") >= MAX_INDENTS);
    if (!isFull && this.#frames.length < MAX_FRAMES) this.#frames.push(frame);
  }

  #count(kind: Frame["kind"]): number {
    let count = 0;
    for (const frame of this.#frames) if (frame.kind === kind) count++;
    return count;
  }

  #openItem(): void {
    const list = this.#frames.findLastIndex(({ kind }) => kind === "list");
    const item = this.#frames.findLastIndex(({ kind }) => kind === "item");
    // The item before it has no end tag.
    if (item > list) this.#popTo(item);
    const frame = this.#frames[list];
    const marker = frame?.kind === "list" && frame.name === "ol" ? `${frame.next++}. ` : "- ";
    this.#push({ kind: "item", name: "li", marker, used: false });
  }

  #openMark(name: string, attributes: Attributes): void {
    // A link inside a link ends the outer one.
    if (name === "a") this.close("a");
    const mark =
      name === "a"
        ? linkMark(attributes, this.#base)
        : Object.hasOwn(INLINE_MARKS, name)
          ? INLINE_MARKS[name]
          : undefined;
    if (mark) this.#push({ kind: "mark", name, mark, start: this.#inline.length });
  }

  #popTo(index: number): void {
    while (this.#frames.length > index) {
      const frame = this.#frames.at(-1)!;
      if (frame.kind === "mark") this.#wrap(frame);
      this.#frames.pop();
    }
  }

  #wrap(frame: Extract<Frame, { kind: "mark" }>): void {
    const text = this.#inline.splice(frame.start).join("");
    if (text === "") return;
    const inner = text.trim();
    if (inner === "") return void this.#inline.push(text);
    const lead = text.slice(0, text.length - text.trimStart().length);
    const trail = text.slice(text.trimEnd().length);
    this.#inline.push(`${lead}${frame.mark(inner)}${trail}`);
  }

  /** Ends the block that gathers. What is marked continues in the next one. */
  #flush(): void {
    if (this.#inline.length > 0) {
      const marks = this.#frames.filter((frame) => frame.kind === "mark");
      for (const frame of marks.toReversed()) this.#wrap(frame);
      for (const frame of marks) frame.start = 0;
    }
    const text = this.#inline
      .join("")
      .replace(/ *\n */g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
    this.#inline = [];
    this.#endsInSpace = true;
    if (text === "") return;
    const heading = this.#frames.findLast((frame) => frame.kind === "heading");
    this.#emit(heading ? headingText(text.replaceAll("\n", " "), heading.level) : text);
  }

  #emit(text: string): void {
    if (this.#table?.cell) return void this.#table.cell.blocks.push(text);
    let first = "";
    let rest = "";
    let startsItem = false;
    for (const frame of this.#frames) {
      if (frame.kind === "quote") {
        first += "> ";
        rest += "> ";
      }
      if (frame.kind !== "item") continue;
      const indent = " ".repeat(frame.marker.length);
      first += frame.used ? indent : frame.marker;
      rest += indent;
      startsItem ||= !frame.used;
      frame.used = true;
    }
    const gap = this.#out.length === 0 ? "" : startsItem && this.#lastWasItem ? "\n" : "\n\n";
    this.#out.push(gap, first, text.includes("\n") ? text.replaceAll("\n", `\n${rest}`) : text);
    this.#lastWasItem = this.#frames.some(({ kind }) => kind === "item");
  }

  #endPre(): void {
    const { language, text } = this.#pre!;
    this.#pre = undefined;
    const code = text.join("").replace(/^\n/, "").trimEnd();
    if (code === "") return;
    const ticks = code.match(/`{3,}/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
    const fence = "`".repeat(Math.min(ticks + 1, 100));
    this.#emit(`${fence}${language}\n${code}\n${fence}`);
  }

  #openTablePart(name: string): void {
    if (name === "table") {
      if (this.#table) this.#table.inner++;
      else this.#table = { rows: [], cell: undefined, inner: 0 };
      return;
    }
    if (!this.#table || this.#table.inner > 0) return;
    this.#endCell(this.#table);
    if (name === "tr") this.#table.rows.push([]);
    else this.#table.cell = { blocks: [], base: this.#frames.length };
  }

  #closeTablePart(name: string): void {
    const table = this.#table;
    if (!table) return;
    if (name !== "table") {
      if (table.inner === 0) this.#endCell(table);
    } else if (table.inner > 0) table.inner--;
    else this.#closeTable(table);
  }

  #endCell(table: OpenTable): void {
    if (!table.cell) return;
    this.#flush();
    this.#frames.length = Math.min(this.#frames.length, table.cell.base);
    if (table.rows.length === 0) table.rows.push([]);
    table.rows.at(-1)!.push(table.cell.blocks);
    table.cell = undefined;
  }

  #closeTable(table: OpenTable): void {
    this.#endCell(table);
    this.#table = undefined;
    for (const block of tableBlocks(table.rows)) this.#emit(block);
  }
}

interface OpenTable {
  readonly rows: TableCell[][];
  /** `base`: how many frames were open when it began. */
  cell: { readonly blocks: string[]; readonly base: number } | undefined;
  /** Tables in a cell of it: their text becomes text of the cell. */
  inner: number;
}

function headingText(text: string, level: number): string {
  if (level > 2) return `${"#".repeat(level)} ${text}`;
  return `${text}\n${(level === 1 ? "=" : "-").repeat(Math.min(Math.max(text.length, 3), 80))}`;
}

const startOf = (attributes: Attributes) => {
  const start = Number(attributes.get("start") ?? 1);
  return Number.isSafeInteger(start) && start >= 0 ? start : 1;
};

const languageOf = (attributes: Attributes) =>
  /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(attributes.get("class") ?? "")?.[1] ?? "";
