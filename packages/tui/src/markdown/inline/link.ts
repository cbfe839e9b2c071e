// Links: where they start and end in the text, and how they look. Each look ahead is bounded.

import type { StyledText } from "../../code/styled-text.ts";

export interface LinkStyle {
  /** The terminal shows links itself; otherwise the address is written behind the text. */
  readonly hyperlinks: boolean;
}

export interface LinkTarget {
  readonly url: string;
  readonly title?: string;
}

const MAX_URL = 2000;
const MAX_TITLE = 500;

/** The `(address "title")` behind the text of a link. */
export function destinationAt(text: string, at: number): (LinkTarget & { readonly end: number }) | undefined {
  if (text[at] !== "(") return undefined;
  let from = at + 1;
  while (text[from] === " " && from < at + 10) from++;
  const address = text[from] === "<" ? angled(text, from) : balanced(text, from);
  if (!address) return undefined;
  let end = address.end;
  while (text[end] === " " && end < address.end + 10) end++;
  if (text[end] === ")") return { url: address.url, end: end + 1 };
  const close = end === address.end ? undefined : titleEnd(text, end);
  if (close === undefined || text[close] !== ")") return undefined;
  return { url: address.url, title: text.slice(end + 1, close - 1), end: close + 1 };
}

/** `<https://…>` or `<someone@example.com>`. */
export function autolinkAt(text: string, at: number): { url: string; end: number } | undefined {
  AUTOLINK.lastIndex = at;
  const found = AUTOLINK.exec(text);
  if (!found) return undefined;
  const address = found[1]!;
  return { url: address.includes(":") ? address : `mailto:${address}`, end: at + found[0].length };
}

/** `https://…`, `www.…` or `mailto:…` in running text, without the punctuation that ends the sentence. */
export function bareUrlAt(text: string, at: number): { url: string; end: number } | undefined {
  if (/[\p{L}\p{N}_]/u.test(text[at - 1] ?? " ")) return undefined;
  BARE.lastIndex = at;
  const found = BARE.exec(text)?.[0];
  if (!found) return undefined;
  const address = withoutTrailing(found);
  return { url: address.startsWith("www.") ? `https://${address}` : address, end: at + address.length };
}

/** The text of a link in the way the terminal can show it. */
export function linkText(target: LinkTarget, text: readonly StyledText[], style: LinkStyle): StyledText[] {
  const { url, title } = target;
  const words = text.map((piece) => piece.text).join("");
  const around = (text[0]?.styles ?? []).filter((name) => text.every((piece) => piece.styles.includes(name)));
  const address = style.hyperlinks ? safeUrl(url) : undefined;
  if (words.trim() === "") return [{ text: url, styles: [...around, "link"] }];
  const pieces: StyledText[] = text.map((piece) => ({
    text: piece.text,
    styles: [...piece.styles, "link"],
    ...(address === undefined ? {} : { url: address }),
  }));
  // A text that looks like another address would hide where the link goes.
  const visible = address !== undefined && !/^(https?:|www\.)/i.test(words.trim());
  if (!visible && !isSame(words, url)) pieces.push({ text: ` (${url})`, styles: [...around, "dim"] });
  if (title) pieces.push({ text: ` (${title})`, styles: [...around, "dim"] });
  return pieces;
}

const AUTOLINK = /<((?:https?|mailto|ftp|file):[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8})>/y;
const BARE = /(?:https?:\/\/|mailto:|www\.[a-z0-9-])[^\s<>"'`[\]{}|\\^\u0080-\uffff]{1,2000}/iy;

/** Only what a terminal may safely be given, and only schemes that open a page, a mail or a file. */
function safeUrl(url: string): string | undefined {
  return /^(https?:\/\/|mailto:|file:\/\/)[\u0021-\u007e]{1,2000}$/i.test(url) ? url : undefined;
}

function isSame(words: string, url: string): boolean {
  const bare = (text: string) =>
    text
      .trim()
      .replace(/^(https?:\/\/|mailto:)/i, "")
      .replace(/\/$/, "");
  return bare(words) === bare(url);
}

function angled(text: string, at: number): { url: string; end: number } | undefined {
  for (let end = at + 1; end < text.length && end - at < MAX_URL; end++) {
    if (text[end] === "\n" || text[end] === "<") return undefined;
    if (text[end] === ">") return { url: text.slice(at + 1, end), end: end + 1 };
  }
  return undefined;
}

function balanced(text: string, at: number): { url: string; end: number } | undefined {
  let depth = 0;
  let end = at;
  for (; end < text.length && end - at < MAX_URL; end++) {
    const character = text[end]!;
    if (character === " " || character === "\n" || character === "\t") break;
    if (character === "(") depth++;
    else if (character === ")" && depth-- === 0) break;
  }
  return depth > 0 || end === text.length ? undefined : { url: text.slice(at, end), end };
}

function titleEnd(text: string, at: number): number | undefined {
  const close = text[at] === '"' ? '"' : text[at] === "'" ? "'" : undefined;
  if (!close) return undefined;
  for (let end = at + 1; end < text.length && end - at < MAX_TITLE; end++) {
    if (text[end] === close && text[end - 1] !== "\\") return end + 1;
  }
  return undefined;
}

/** Up to the first parenthesis that was not opened, and without the signs behind the last word. */
function withoutTrailing(address: string): string {
  let opened = 0;
  let end = 0;
  for (; end < address.length; end++) {
    if (address[end] === "(") opened++;
    else if (address[end] === ")" && opened-- === 0) break;
  }
  while (end > 0 && ".,;:!?*_~(".includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}
