// Values of frontmatter fields in the forms that people write.

import type { HeadNode } from "./head-node.ts";
import { readFlow } from "./head-flow.ts";

/** A list or map that was meant as text, such as `[file]`, as it is written. */
export function fieldText(node: HeadNode): string {
  if (node.kind === "text") return node.text;
  if (node.raw !== undefined) return node.raw;
  return node.kind === "list" ? node.items.map(fieldText).join(", ") : "";
}

/** Also in quotes. */
export function booleanIn(node: HeadNode): boolean | undefined {
  const word = node.kind === "text" ? node.text.toLowerCase() : "";
  if (["true", "yes", "on", "1"].includes(word)) return true;
  if (["false", "no", "off", "0"].includes(word)) return false;
  return undefined;
}

const MOST_WORDS = 500;
const LONGEST_WORD = 1_000;

/** Words separated by commas or spaces, or a list of them. Parentheses keep `Bash(git add *)` together. */
export function wordsIn(node: HeadNode): readonly string[] {
  return (
    textsIn(node)
      .flatMap((text) => split(text, (sign) => sign === "," || sign === " " || sign === "\t" || sign === "\n", "()"))
      // A list in a `|` block has dashes.
      .filter((word) => word !== "-" && word.length <= LONGEST_WORD)
      .slice(0, MOST_WORDS)
  );
}

/** Patterns separated by commas, or a list of them. Braces keep `*.{ts,tsx}` together. */
export function patternsIn(node: HeadNode): readonly string[] {
  return textsIn(node)
    .flatMap((text) => split(text, (sign) => sign === "," || sign === "\n", "{}"))
    .slice(0, MOST_WORDS);
}

function textsIn(node: HeadNode): readonly string[] {
  if (node.kind === "list") return node.items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
  if (node.kind === "map") return [];
  if (node.text === "~" || node.text === "null") return [];
  // A list in quotes.
  const list = node.text.startsWith("[") ? readFlow(node.text, node.line) : undefined;
  return list !== undefined && list.end === node.text.length ? textsIn(list.node) : [node.text];
}

function split(text: string, isGap: (sign: string) => boolean, [open, close]: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === open) depth++;
    else if (sign === close && depth > 0) depth--;
    if (sign !== undefined && (depth > 0 || !isGap(sign))) continue;
    const part = text
      .slice(start, at)
      .trim()
      .replace(/^(["'])(.*)\1$/s, "$2");
    if (part !== "") parts.push(part);
    start = at + 1;
  }
  return parts;
}

/** As YAML types it: words without quotes may be numbers, booleans or null. */
export function fieldJson(node: HeadNode): unknown {
  if (node.kind === "list") return node.items.map(fieldJson);
  if (node.kind === "map") return Object.fromEntries([...node.entries].map(([key, value]) => [key, fieldJson(value)]));
  if (node.quoted) return node.text;
  if (/^-?\d+(?:\.\d+)?$/.test(node.text)) return Number(node.text);
  if (/^(?:true|True|TRUE)$/.test(node.text)) return true;
  if (/^(?:false|False|FALSE)$/.test(node.text)) return false;
  return /^(?:|~|null|Null|NULL)$/.test(node.text) ? null : node.text;
}
