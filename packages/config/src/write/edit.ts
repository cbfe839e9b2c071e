// Edits the text of JSON with comments and leaves everything else as it is: comments, order and layout. Pure.

import { parseTree, type ParseError } from "jsonc-parser";

/** Whether the edits below work on this text. Some parsers accept more, such as single quotes. */
export function isEditable(text: string): boolean {
  const errors: ParseError[] = [];
  parseTree(text.replace(/^\ufeff/, " "), errors, { allowTrailingComma: true });
  return errors.length === 0;
}

/** Sets the value at a path and creates missing objects. */
export function setAt(text: string, path: readonly string[], value: unknown): string {
  const root = treeOf(text);
  let node = root;
  let left = [...path];
  for (let next = inside(node, left[0]!); left.length > 0 && next; next = inside(node, left[0]!)) {
    node = next;
    left = left.slice(1);
  }
  if (left.length === 0) return replace(text, node, value);
  const wrapped = left.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return node.type === "object" ? insert(text, node, wrapped, `${JSON.stringify(left[0])}: `) : text;
}

/** Adds an item at the end of a list. */
export function appendAt(text: string, path: readonly string[], value: unknown): string {
  const list = nodeAt(text, path);
  return list?.type === "array" ? insert(text, list, value, "") : text;
}

/** Removes an item from a list or object, with its comma and, if nothing else is on it, its line. */
export function removeAt(text: string, path: readonly string[], index: number): string {
  const items = nodeAt(text, path)?.children ?? [];
  const item = items[index];
  if (item === undefined) return text;
  const before = items[index - 1];
  const own = commaAfter(text, endOf(item));
  const comma = own ?? (before && commaAfter(text, endOf(before)));
  const end = own === undefined ? endOf(item) : own + 1;
  const cut = wholeLine(text, item.offset, end) ?? withSpaces(text, item.offset, end, own !== undefined);
  const shorter = text.slice(0, cut[0]) + text.slice(cut[1]);
  return own !== undefined || comma === undefined ? shorter : shorter.slice(0, comma) + shorter.slice(comma + 1);
}

/** Removes a key from the object at a path, with its value; every copy of it, if it is repeated. */
export function removeKey(text: string, path: readonly string[], name: string): string {
  const properties = nodeAt(text, path)?.children ?? [];
  const at = properties.findLastIndex((property) => property.children?.[0]?.value === name);
  return at < 0 ? text : removeKey(removeAt(text, path, at), path, name);
}

interface Node {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly value?: unknown;
  readonly children?: readonly Node[];
}

const endOf = ({ offset, length }: Node) => offset + length;

function treeOf(text: string): Node {
  // Replace a byte order mark with a space to keep the offsets.
  const tree = parseTree(text.replace(/^\ufeff/, " "), undefined, { allowTrailingComma: true });
  return (tree as Node | undefined) ?? { type: "none", offset: 0, length: 0 };
}

function nodeAt(text: string, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((at, name) => at && inside(at, name), treeOf(text));
}

/** If a name is repeated, the last one wins, as when the file is parsed. */
function inside(node: Node, name: string): Node | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === name)?.children?.[1];
}

function replace(text: string, node: Node, value: unknown): string {
  const old = text.slice(node.offset, endOf(node));
  const isOnOneLine = !old.includes("\n") && old !== "[]" && old !== "{}";
  const written = isOnOneLine ? inline(value) : block(text, value, indentAt(text, node.offset));
  return text.slice(0, node.offset) + written + text.slice(endOf(node));
}

function insert(text: string, container: Node, value: unknown, label: string): string {
  const last = container.children?.at(-1);
  const eol = eolOf(text);
  const isOnOneLine = !text.slice(container.offset, endOf(container)).includes("\n");
  if (last === undefined) {
    const outer = indentAt(text, container.offset);
    const inner = outer + unitOf(text);
    const content = `${eol}${inner}${label}${block(text, value, inner)}${isOnOneLine ? eol + outer : ""}`;
    return text.slice(0, container.offset + 1) + content + text.slice(container.offset + 1);
  }
  const trailing = commaAfter(text, endOf(last));
  const at = trailing === undefined ? endOf(last) : trailing + 1;
  const comma = trailing === undefined ? "," : "";
  const indent = indentAt(text, last.offset);
  const content = isOnOneLine ? ` ${label}${inline(value)}` : `${eol}${indent}${label}${block(text, value, indent)}`;
  const after = trailing === undefined ? "" : ",";
  if (comma === "" || isOnOneLine) return text.slice(0, at) + comma + content + after + text.slice(at);
  // A comment after the last item stays on that item's line.
  const lineEnd = restOfLine(text, at);
  return `${text.slice(0, at)},${text.slice(at, lineEnd)}${content}${text.slice(lineEnd)}`;
}

/** The end of the line, if only spaces and comments follow; otherwise `at`. */
function restOfLine(text: string, at: number): number {
  const rest = /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?/.exec(text.slice(at))![0];
  const end = at + rest.length;
  return end === text.length || /[\r\n]/.test(text[end]!) ? end : at;
}

/** The position of the comma after a value, past spaces and comments. */
function commaAfter(text: string, at: number): number | undefined {
  const skipped = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/.exec(text.slice(at))![0].length;
  return text[at + skipped] === "," ? at + skipped : undefined;
}

/** The line of a range, if nothing else is on it except a comment after it. */
function wholeLine(text: string, from: number, to: number): [number, number] | undefined {
  const start = text.lastIndexOf("\n", from - 1);
  const end = restOfLine(text, to);
  const isAlone =
    start >= 0 && /^[ \t]*$/.test(text.slice(start + 1, from)) && (end > to || /[\r\n]/.test(text[to] ?? ""));
  if (!isAlone) return undefined;
  return [text[start - 1] === "\r" ? start - 1 : start, end];
}

/** The range and the spaces after it, or before it if it is the last item. */
function withSpaces(text: string, from: number, to: number, isFollowed: boolean): [number, number] {
  if (isFollowed) return [from, to + /^[ \t]*/.exec(text.slice(to))![0].length];
  return [from - /[ \t]*$/.exec(text.slice(0, from))![0].length, to];
}

const eolOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");
const unitOf = (text: string) => /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))![0];
}

function block(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${inline(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
