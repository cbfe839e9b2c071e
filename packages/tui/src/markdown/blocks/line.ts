// What a single line of Markdown can be. Every test looks at the line once.

import type { BlockContainer } from "./block.ts";

export interface Fence {
  readonly sign: string;
  readonly length: number;
  readonly indent: number;
  readonly info: string;
}

/** Tabs at the start become spaces. */
export function expandIndent(line: string): string {
  let column = 0;
  let at = 0;
  for (; at < line.length; at++) {
    if (line[at] === " ") column++;
    else if (line[at] === "\t") column += 4 - (column % 4);
    else break;
  }
  return column === at ? line : " ".repeat(column) + line.slice(at);
}

export function indentOf(line: string): number {
  let at = 0;
  while (line[at] === " ") at++;
  return at;
}

export function isQuote(line: string): boolean {
  const indent = indentOf(line);
  return indent < 4 && line[indent] === ">";
}

export function withoutQuote(line: string): string {
  const rest = expandIndent(line.slice(indentOf(line) + 1));
  return rest.startsWith(" ") ? rest.slice(1) : rest;
}

export function isRule(line: string): boolean {
  const sign = line[indentOf(line)];
  if (sign !== "-" && sign !== "*" && sign !== "_") return false;
  let count = 0;
  for (const character of line) {
    if (character === sign) count++;
    else if (character !== " " && character !== "\t") return false;
  }
  return count >= 3;
}

export function headingAt(line: string): { readonly level: number; readonly text: string } | undefined {
  const found = line[indentOf(line)] === "#" ? /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line) : undefined;
  if (!found) return undefined;
  const text = line.slice(found[0].length).trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const closed = end === 0 || (end < text.length && text[end - 1] === " ");
  return { level: found[1]!.length, text: closed ? text.slice(0, end).trimEnd() : text };
}

export function fenceAt(line: string): Fence | undefined {
  const indent = indentOf(line);
  const sign = line[indent];
  if (indent > 3 || (sign !== "`" && sign !== "~")) return undefined;
  let end = indent;
  while (line[end] === sign) end++;
  const info = line.slice(end).trim();
  if (end - indent < 3 || (sign === "`" && info.includes("`"))) return undefined;
  return { sign, length: end - indent, indent, info };
}

export function isClosingFence(line: string, fence: Fence): boolean {
  const text = line.trim();
  if (indentOf(line) > 3 || text.length < fence.length) return false;
  for (const character of text) if (character !== fence.sign) return false;
  return true;
}

/** The start of a list item. One that interrupts a paragraph must have text, and a number must be 1. */
export function itemAt(
  line: string,
  interrupts: boolean,
): { readonly container: BlockContainer; readonly rest: string } | undefined {
  const offset = indentOf(line);
  const end = markerEnd(line, offset);
  if (offset > 3 || end === undefined) return undefined;
  const after = line[end];
  if (after !== undefined && after !== " " && after !== "\t") return undefined;
  const marker = line.slice(offset, end);
  // Columns, not characters: a tab behind the marker reaches to the next stop.
  const behind = after === "\t" ? expandIndent(" ".repeat(end) + line.slice(end)).slice(end) : line.slice(end);
  const spaces = indentOf(behind);
  const isEmpty = behind.length === spaces;
  const ordered = marker.length > 1;
  if (interrupts && (isEmpty || (ordered && Number.parseInt(marker, 10) !== 1))) return undefined;
  // More than four spaces belong to code inside the item.
  const skipped = isEmpty || spaces > 4 ? 1 : spaces;
  const text = behind.slice(skipped);
  const task = text.startsWith("[") ? /^\[([ xX])\](?: +|$)/.exec(text) : undefined;
  return {
    container: {
      kind: "item",
      marker,
      ordered,
      offset,
      indent: end + skipped,
      ...(task ? { task: task[1] === " " ? ("open" as const) : ("done" as const) } : {}),
    },
    rest: task ? text.slice(task[0].length) : text,
  };
}

/** Where the `-` or `12.` that starts at `from` ends. */
function markerEnd(line: string, from: number): number | undefined {
  const first = line[from];
  if (first === "-" || first === "*" || first === "+") return from + 1;
  let at = from;
  while (at < from + 9 && line.charCodeAt(at) >= 0x30 && line.charCodeAt(at) <= 0x39) at++;
  return at > from && (line[at] === "." || line[at] === ")") ? at + 1 : undefined;
}

/** Where a block of HTML starts, and the text that ends it; without one it ends at an empty line. */
export function htmlAt(line: string): { readonly until: RegExp | undefined } | undefined {
  const text = line.trimStart();
  if (!text.startsWith("<")) return undefined;
  if (text.startsWith("<!--")) return { until: /-->/ };
  const raw = /^<(pre|script|style|textarea)(?:[\s>]|$)/i.exec(text)?.[1];
  if (raw) return { until: new RegExp(`</${raw}>`, "i") };
  if (BLOCK_TAG.test(text)) return { until: undefined };
  const tag = /^<\/?[a-z][\w-]*[^<>]*>\s*$/i.test(text);
  return tag && !text.includes("://") && !text.includes("@") ? { until: undefined } : undefined;
}

export function htmlEnds(line: string, until: RegExp): boolean {
  return until.test(line);
}

const BLOCK_TAG =
  /^<\/?(?:address|article|aside|blockquote|body|br|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|meta|nav|ol|option|p|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[\s/>]|$)/i;
