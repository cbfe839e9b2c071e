// Finds what people should see of a command line: its simple commands, and the words that destroy. For reading only: nothing is
// decided here, and whatever is not plain is not split.

import { destructiveWord } from "@keelson/protocol/destructive";

const PLAIN_WORDS =
  /^(if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|time|\{|\}|\[\[|!)(\s|$)/;
/** No one reads the parts of a longer one. */
const LONGEST = 10_000;
const OPERATOR = /^(&&|\|\||\|&|;|\||&|\n)/;

/** Empty if there are not several, if each has a line of its own anyway, or if it is not known where they end. */
export function commandParts(command: string): readonly string[] {
  if (command.length > LONGEST) return [];
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < command.length;) {
    const piece = quotedAt(command, at);
    if (piece === undefined) return [];
    if (piece !== "") {
      part += piece;
      at += piece.length;
      continue;
    }
    const rest = command.slice(at, at + 2);
    const last = part === "" ? "" : command[at - 1]!;
    const redirects = last === "<" || last === ">" || rest === "&>";
    const [operator] = redirects ? [] : (OPERATOR.exec(rest) ?? []);
    if (operator === undefined) {
      if (/^[()`]|^<</.test(rest) || (rest[0] === "#" && last.trim() === "")) return [];
      part += command[at++];
      continue;
    }
    if (command.startsWith(";;", at)) return [];
    parts.push(part.trim());
    part = "";
    at += operator.length;
  }
  parts.push(part.trim());
  const filled = parts.filter((each) => each !== "");
  const lines = command.split("\n").filter((line) => line.trim() !== "").length;
  return filled.length < 2 || filled.length === lines || filled.some((each) => PLAIN_WORDS.test(each)) ? [] : filled;
}

/** The quoted or escaped text that begins here, or "". Undefined if it has no end, or runs commands of its own. */
function quotedAt(command: string, at: number): string | undefined {
  const character = command[at]!;
  if (character === "\\") return command.slice(at, at + 2);
  if (character === "$") return /^\$[('"]/.test(command.slice(at, at + 2)) ? undefined : "$";
  if (character === "'") {
    const end = command.indexOf("'", at + 1);
    return end < 0 ? undefined : command.slice(at, end + 1);
  }
  if (character !== '"') return "";
  for (let end = at + 1; end < command.length; end++) {
    if (command[end] === "\\") end++;
    else if (command[end] === '"') return command.slice(at, end + 1);
    else if (command[end] === "`" || command.startsWith("$(", end)) return undefined;
  }
  return undefined;
}

/** Whether a suggested rule is about this part, so that it is one that needs approval. */
export function isCovered(part: string, ruleContent: string): boolean {
  if (!ruleContent.endsWith(" *")) return part === ruleContent;
  const prefix = ruleContent.slice(0, -2);
  return part === prefix || part.startsWith(`${prefix} `);
}

interface DestructiveWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Programs that run the words behind them. */
const WRAPPERS = /^(?:sudo|doas|env|time|nice|nohup|command|exec|xargs|timeout|\d+[smh]?|-\S*|[A-Za-z_]\w*=\S*)$/;
const SEPARATOR = /[;&|()`{}\n]/;

/** The words that make a command destructive, in order. A guess for reading: quotes are looked through, nothing is decided. */
export function destructiveWords(command: string): readonly DestructiveWord[] {
  if (command.length > LONGEST) return [];
  const found: DestructiveWord[] = [];
  let words: DestructiveWord[] = [];
  const finish = () => {
    const from = words.findIndex(({ word }) => !WRAPPERS.test(word));
    const at = from < 0 ? undefined : destructiveWord(words.slice(from).map(({ word }) => word));
    if (at !== undefined) found.push(words[from + at]!);
    words = [];
  };
  for (const match of command.matchAll(/[;&|()`{}\n]+|(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s;&|()`{}'"\\])+/g)) {
    const [text] = match;
    if (SEPARATOR.test(text[0]!)) finish();
    else {
      const word = text.replace(/'([^']*)'|"((?:[^"\\]|\\[^])*)"/g, "$1$2").replace(/\\([^])/g, "$1");
      words.push({ word, start: match.index, end: match.index + text.length });
    }
  }
  finish();
  return found;
}
