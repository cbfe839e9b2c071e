// Values on one line of a frontmatter: texts in quotes, lists in brackets, maps in braces.

import type { HeadList, HeadMap, HeadNode } from "./head-node.ts";

/** The text in the quotes at the start, and where it ends; undefined if they are not closed. */
export function readQuoted(source: string): { readonly text: string; readonly end: number } | undefined {
  const quote = source[0];
  let text = "";
  for (let at = 1; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === quote) {
      if (quote === '"' || source[at + 1] !== "'") return { text, end: at + 1 };
      at++;
      text += "'";
    } else if (sign === "\\" && quote === '"') {
      const escaped = readEscape(source, at + 1);
      text += escaped.text;
      at = escaped.end - 1;
    } else text += sign;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "", "\n": "" };

function readEscape(source: string, at: number): { readonly text: string; readonly end: number } {
  const sign = source[at] ?? "";
  const digits = sign === "U" ? 8 : sign === "u" ? 4 : sign === "x" ? 2 : 0;
  const code = source.slice(at + 1, at + 1 + digits);
  if (
    digits > 0 &&
    code.length === digits &&
    /^(?:00[\da-f]{6}|[\da-f]{1,4})$/i.test(code) &&
    parseInt(code, 16) <= 0x10ffff
  ) {
    return { text: String.fromCodePoint(parseInt(code, 16)), end: at + 1 + digits };
  }
  return { text: ESCAPES[sign] ?? sign, end: at + 1 };
}

const DEEPEST = 8;

/** The list or map at the start, and where it ends; undefined if it is not closed or too deep. */
export function readFlow(
  source: string,
  line: number,
): { readonly node: HeadList | HeadMap; readonly end: number } | undefined {
  let at = 0;
  let isBroken = false;

  const blanks = () => {
    while (source[at] === " " || source[at] === "\t") at++;
  };
  /** Up to a sign that ends a plain text here. */
  const plain = (inMap: boolean): string => {
    const start = at;
    for (let depth = 0; at < source.length; at++) {
      const sign = source[at]!;
      // Tool rules and patterns have commas in parentheses and braces.
      if (sign === "(" || (sign === "{" && at > start)) depth++;
      else if (depth > 0 && (sign === ")" || sign === "}")) depth--;
      else if (depth === 0 && (sign === "," || sign === "]" || sign === "}")) break;
      else if (depth === 0 && inMap && sign === ":" && /[\s,}]/.test(source[at + 1] ?? " ")) break;
    }
    return source.slice(start, at).trim();
  };
  const scalar = (inMap: boolean): HeadNode => {
    const quote = source[at];
    if (quote === '"' || quote === "'") {
      const quoted = readQuoted(source.slice(at));
      if (quoted !== undefined) {
        at += quoted.end;
        return { kind: "text", text: quoted.text, quoted: true, line };
      }
      isBroken = true;
    }
    return { kind: "text", text: plain(inMap), quoted: false, line };
  };
  const value = (depth: number, inMap: boolean): HeadNode => {
    blanks();
    const isNested = source[at] === "[" || source[at] === "{";
    if (isNested && depth >= DEEPEST) isBroken = true;
    return isNested && !isBroken ? group(depth + 1) : scalar(inMap);
  };
  const group = (depth: number): HeadList | HeadMap => {
    const isMap = source[at] === "{";
    const close = isMap ? "}" : "]";
    const items: HeadNode[] = [];
    const entries = new Map<string, HeadNode>();
    at++;
    for (;;) {
      blanks();
      if (source[at] === close) break;
      if (at >= source.length || isBroken) {
        isBroken = true;
        break;
      }
      if (source[at] === ",") {
        at++;
        continue;
      }
      const before = at;
      if (isMap) {
        const key = scalar(true);
        blanks();
        const hasValue = source[at] === ":";
        if (hasValue) at++;
        const named = key.kind === "text" ? key.text : "";
        entries.set(named, hasValue ? value(depth, true) : { kind: "text", text: "", quoted: false, line });
      } else items.push(value(depth, false));
      blanks();
      if (at === before || (source[at] !== "," && source[at] !== close)) isBroken = true;
    }
    at++;
    return isMap ? { kind: "map", entries, line } : { kind: "list", items, line };
  };

  const node = group(1);
  return isBroken ? undefined : { node, end: at };
}
