// Whether a sed script only uses its operands. `e` and `s///e` run commands; `w`, `W`, `r`, `R` and `s///w` open other
// files. A script that cannot be read counts as one that does.

import type { Word } from "../command/analysis/word.ts";
import { isSettledText } from "./code-words.ts";
import type { ProgramCall } from "./program-options.ts";

/** The position of the last script if the scripts, taken together, use more than the operands. */
export function inspectSed({ words, start }: ProgramCall): number | undefined {
  const scripts: { at: number; text: string | undefined }[] = [];
  const operands: number[] = [];
  let ended = false;
  for (let at = start; at < words.length; at++) {
    const { value } = words[at]!;
    if (ended || !value.startsWith("-") || value === "-") operands.push(at);
    else if (value === "--") ended = true;
    else {
      const option = /^--e[a-z]*(?:=(.*))?$|^-[^-efil]*e(.*)$/s.exec(value);
      if (option === null) {
        if (!/^(--l[a-z-]*|-[^-efil]*[lf])$/.test(value)) continue;
        at++;
        // Its value is a number or a file: a word that looks like an option is suspicious.
        if (words[at]?.value.startsWith("-")) return at;
        continue;
      }
      const attached = option[1] ?? (option[2] || undefined);
      if (attached === undefined) at++;
      const word = words[Math.min(at, words.length - 1)]!;
      scripts.push({ at: Math.min(at, words.length - 1), text: textOf(word) && (attached ?? textOf(words[at])) });
    }
  }
  if (scripts.length === 0) {
    const first = operands[0];
    if (first === undefined) return undefined;
    scripts.push({ at: first, text: textOf(words[first]) });
    // On macOS, the word after `-i` is a suffix, usually empty, and the script comes next.
    const second = operands[1];
    const next = second === undefined ? undefined : textOf(words[second]);
    if (second !== undefined && (scripts[0]!.text === "" || mayOpenFiles(next ?? "")))
      scripts.push({ at: second, text: next });
  }
  const whole = scripts.map(({ text }) => text);
  return whole.includes(undefined) || reachesOut(whole.join("\n")) ? scripts.at(-1)!.at : undefined;
}

/**
 * Whether a word that GNU sed takes for a file would open another file if it were a script: `w` or `r` with more than a
 * plain name, `s` that writes, or several commands.
 */
export function mayOpenFiles(word: string): boolean {
  return /^[\d$,!\s]*(?:[rw]\s*[./~]|s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiImM\d]*w)|[;{}\n]/s.test(word);
}

function textOf(word: Word | undefined): string | undefined {
  return word && isSettledText(word) ? word.value : undefined;
}

const PLAIN = "=dDgGhHnNpPxzF";
const END = /[ \t]*(?=[;}\n#]|$)/y;

export function reachesOut(script: string): boolean {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    if (found) at = pattern.lastIndex;
    return found !== null;
  };
  while (at < script.length) {
    skip(/[\s;}]*/y);
    if (at >= script.length) return false;
    if (skip(/#[^\n]*/y)) continue;
    const command = addressed(script, at);
    if (command === undefined) return true;
    at = command + 1;
    const letter = script[command] ?? "";
    if (letter === "{") continue;
    if (letter !== "" && PLAIN.includes(letter)) {
      if (!skip(END)) return true;
    } else if (/[qQlL]/.test(letter)) {
      skip(/[ \t]*\d*/y);
      if (!skip(END)) return true;
    } else if (/[aic]/.test(letter)) {
      skip(/(?:\\[\s\S]|[^\\\n])*/y);
    } else if (letter === ":") {
      if (!skip(/[ \t]*[\w.-]+(?=[\s;]|$)/y)) return true;
    } else if (/[btT]/.test(letter)) {
      skip(/[ \t]*[\w.-]*/y);
      if (!skip(END)) return true;
    } else if (letter === "s" || letter === "y") {
      const end = substitution(script, at, letter === "s");
      if (end === undefined) return true;
      at = end;
      if (letter === "s") skip(/[gpiImM\d]*/y);
      if (!skip(END)) return true;
    } else return true;
  }
  return false;
}

/** The position of the command after the addresses. */
function addressed(script: string, from: number): number | undefined {
  let at = address(script, from);
  if (at === undefined) return undefined;
  if (at > from) {
    at = blanks(script, at);
    if (script[at] === ",") {
      const second = blanks(script, at + 1);
      const next = /^[+~]\d+/.exec(script.slice(second, second + 20))?.[0].length;
      at = next === undefined ? address(script, second) : second + next;
      if (at === undefined || at === second) return undefined;
    }
  }
  at = blanks(script, at);
  while (script[at] === "!") at = blanks(script, at + 1);
  return at;
}

function address(script: string, from: number): number | undefined {
  const number = /^(\d+(~\d+)?|\$)/.exec(script.slice(from, from + 40));
  if (number) return from + number[0].length;
  const custom = script[from] === "\\";
  if (!custom && script[from] !== "/") return from;
  let at = delimited(script, custom ? from + 2 : from + 1, script[custom ? from + 1 : from], { classes: true });
  while (at !== undefined && /[IM]/.test(script[at] ?? "")) at++;
  return at;
}

function substitution(script: string, from: number, regular: boolean): number | undefined {
  const sign = script[from];
  const middle = delimited(script, from + 1, sign, { classes: regular });
  return middle === undefined ? undefined : delimited(script, middle, sign, { classes: false });
}

/**
 * The position after the closing delimiter. Undefined if a bracket contains the delimiter: versions of sed differ on
 * whether that hides it.
 */
function delimited(
  script: string,
  from: number,
  sign: string | undefined,
  { classes }: { classes: boolean },
): number | undefined {
  if (sign === undefined || sign === "\n" || sign === "\\") return undefined;
  let open = false;
  for (let at = from; at < script.length; at++) {
    const character = script[at]!;
    if (character === "\\") at++;
    else if (character === sign) return open ? undefined : at + 1;
    else if (character === "\n") return undefined;
    else if (classes && character === "[" && !open) {
      open = true;
      // A leading `]` is a member.
      at += /^\^?\]?/.exec(script.slice(at + 1, at + 3))![0].length;
    } else if (character === "]") open = false;
  }
  return undefined;
}

function blanks(script: string, at: number): number {
  while (script[at] === " " || script[at] === "\t") at++;
  return at;
}
