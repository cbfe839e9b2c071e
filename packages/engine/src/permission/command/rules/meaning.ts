// Deny and ask rules match what a command means: the order of options does not matter, nor do options between a program
// and its subcommand.

import type { Word } from "../analysis/word.ts";
import type { Reach } from "./match-command.ts";

type Covers = (content: string, text: string) => boolean;

export function reachOfMeaning(content: string, words: readonly Word[], covers: Covers): Reach {
  return coversFlags(content, words, covers) ? "yes" : reachOfNames(content, words);
}

/**
 * `kubectl delete *` also matches `kubectl -n prod delete x`. A word after an option may be its value, so it may be
 * skipped; any other word may not.
 */
function reachOfNames(content: string, words: readonly Word[]): Reach {
  const stem = content.trim().replace(/(:| )\*$/, "");
  const [program, ...asked] = stem.split(/ +/);
  const names = asked.filter((word) => !isFlag(word));
  // What git takes before its subcommand is known, and was read already.
  const isRead = program === "git" && (words[1]?.value ?? "").startsWith("-");
  if (stem.includes("*") || names.length === 0 || words[0]!.value !== program || isRead) return "no";
  const given = flagsOf(words.slice(1).map(({ value }) => value));
  if (!flagsOf(asked).isSubsetOf(given)) return "no";
  let at = 1;
  let mayBeValue = false;
  for (const name of names) {
    for (; words[at]?.value !== name; at++) {
      const word = words[at];
      if (word === undefined) return "no";
      // Between quotes it is one word, and may be a value.
      if (word.kind === "unknown" && !(mayBeValue && /^"[^"]*"$/.test(word.text))) return "maybe";
      const isOption = /^[-+]/.test(word.value);
      if (!isOption && !mayBeValue) return "no";
      mayBeValue = isOption && !word.value.includes("=");
    }
    at++;
    mayBeValue = false;
  }
  return stem !== content.trim() || at === words.length ? "yes" : "no";
}

/** `rm -rf *` also matches `rm -fr x`, `rm -r -f x`, `rm x -rf` and `rm --recursive --force x`. */
function coversFlags(content: string, words: readonly Word[], covers: Covers): boolean {
  if (!content.includes("-")) return false;
  const asked = content
    .trim()
    .replace(/(:| )\*$/, "")
    .split(/ +/);
  const open = /(:| )\*$/.test(content.trim());
  const askedFlags = flagsOf(asked.slice(1));
  if (askedFlags.size === 0 || asked.some((word) => word.startsWith("-") && word.includes("*"))) return false;
  const given = words.map((word) => word.value);
  const givenFlags = flagsOf(given.slice(1));
  if (![...askedFlags].every((flag) => givenFlags.has(flag))) return false;
  const operands = (list: readonly string[]) => list.filter((word) => !isFlag(word)).join(" ");
  return covers(open ? `${operands(asked)} *` : operands(asked), operands(given));
}

const LONG_FLAGS: Readonly<Record<string, string>> = { "--recursive": "r", "--force": "f" };

function flagsOf(words: readonly string[]): Set<string> {
  return new Set(
    words.filter(isFlag).flatMap((word) => {
      if (word.startsWith("--")) return [LONG_FLAGS[word] ?? word.split("=")[0]!];
      // Longer ones are single options, such as `-delete`.
      return word.length <= 6 ? [...word.slice(1)].map((letter) => (letter === "R" ? "r" : letter)) : [word];
    }),
  );
}

const isFlag = (word: string) => /^-[^\s]/.test(word);
