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
  const found = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line);
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
  const sign = line.charCodeAt(indentOf(line));
  const mayStart = (sign >= 0x30 && sign <= 0x39) || sign === 0x2d || sign === 0x2a || sign === 0x2b;
  if (!mayStart) return undefined;
  const expanded = expandAfterMarker(line);
  const found = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?! )| |$)/.exec(expanded);
  if (!found) return undefined;
  const [all, before = "", marker = "", after = ""] = found;
  const text = expanded.slice(all.length);
  const ordered = marker.length > 1;
  if (interrupts && (text.trim() === "" || (ordered && Number.parseInt(marker, 10) !== 1))) return undefined;
  const indent = before.length + marker.length + Math.max(1, text.trim() === "" ? 1 : after.length);
  const task = /^\[([ xX])\](?: +|$)/.exec(text);
  return {
    container: {
      kind: "item",
      marker,
      ordered,
      offset: before.length,
      indent,
      ...(task ? { task: task[1] === " " ? ("open" as const) : ("done" as const) } : {}),
    },
    rest: task ? text.slice(task[0].length) : text,
  };
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

function expandAfterMarker(line: string): string {
  const found = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))\t/.exec(line);
  return found ? `${found[1]}${" ".repeat(4 - (found[1]!.length % 4))}${line.slice(found[0].length)}` : line;
}
