// Whether an awk program only computes and prints: no `system()`, no pipes, no output to files, no input from files it
// names or adds to its operands, nothing loaded. A program that cannot be read for certain counts as one that does
// more.

import type { Word } from "../command/analysis/word.ts";
import { isSettledText } from "./code-words.ts";
import type { ProgramCall } from "./program-options.ts";

/** The position of the first program text that does more and that the rule does not spell out. */
export function inspectAwk({ words, start, agreed }: ProgramCall): number | undefined {
  let isNamed = false;
  for (let at = start; at < words.length; at++) {
    const { value } = words[at]!;
    const source = /^(?:--so[a-z]*(?:=(.*))?|-e(.*))$/s.exec(value);
    if (source) {
      const attached = source[1] ?? (source[2] || undefined);
      isNamed = true;
      if (attached === undefined) at++;
      const isWhole = attached === undefined || isSettledText(words[at]!);
      if (at >= agreed && (!isWhole || doesMore(attached ?? textOf(words[at])))) return Math.min(at, words.length - 1);
    } else if (/^-[Fv]$|^--(field-separator|assign)$/.test(value)) at++;
    else if (value === "-f") return at;
    else if (!value.startsWith("-") || value === "--") {
      // Operands such as `x=1` and file names follow the program.
      if (value === "--") at++;
      return !isNamed && at < words.length && doesMore(textOf(words[at])) ? at : undefined;
    }
  }
  return undefined;
}

function textOf(word: Word | undefined): string | undefined {
  return word && isSettledText(word) ? word.value : undefined;
}

const TOKEN =
  /\s+|\\\n|#[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|>=|>>|\|\||&&|[!=<]=|[-+*/%^]=|\+\+|--|[\s\S]/y;
const REGULAR = /\/(?:\\[^\n]|\[\^?\]?(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\n[])+\//y;
/** After these, a slash divides. */
const OPERAND = /^([A-Za-z_]\w*|\d[\w.]*|"[\s\S]*"|\]|\$|\+\+|--)$/;
const KEYWORD = /^(print|printf|return|in|do|else|case|delete|exit)$/;

export function doesMore(program: string | undefined): boolean {
  if (program === undefined) return true;
  // Nothing to find, however the program is read.
  if (!/system|getline|ARGV|[@>|]/.test(program)) return false;
  let at = 0;
  let depth = 0;
  let printing: number | undefined;
  let before = "";
  while (at < program.length) {
    // After a parenthesis, a slash may divide or start an expression; only the full grammar tells.
    if (program[at] === "/" && before === ")") return true;
    const divides = OPERAND.test(before) && !KEYWORD.test(before);
    const pattern = program[at] === "/" && !divides ? REGULAR : TOKEN;
    pattern.lastIndex = at;
    const token = pattern.exec(program)?.[0];
    if (token === undefined || token === '"') return true;
    at += token.length;
    if (/^(\s|\\\n|#)/.test(token)) continue;
    before = pattern === REGULAR ? "]" : token;
    if (pattern === REGULAR) continue;
    if (/^(system|getline|ARGV|@|\||>>)$/.test(token)) return true;
    if (token === "print" || token === "printf") printing = depth;
    else if (token === ">" && printing !== undefined && depth <= printing) return true;
    else if (token === ";" || token === "}") printing = undefined;
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
  }
  return false;
}
