// Where a read-only program takes file names, whatever they are. A pattern stands for one or more names that someone
// else chose: `-exec`, `w /etc/x`, `.`. A program not listed here takes none, because a name could become an option,
// program text, or an extra operand.

import type { Word } from "../command/analysis/word.ts";
import { list } from "./read-only-options.ts";

/** Whether the pattern at this position may become any names at all. */
type Names = (words: readonly Word[], at: number) => boolean;

/** No option of these writes or runs anything, and every operand is only read: `wc -l *`. */
const ANYWHERE = list(`
  : [[ basename cat cksum cmp column comm cut diff dirname du echo egrep expand expr false fgrep fold grep head ls md5sum
  nl od paste readlink realpath rev sha1sum sha256sum sha512sum shasum stat strings tac tail tr true type wc which
`);

/** Every operand is only read, but an option could do harm. */
const OPERANDS = list("[ base64 df docker fd file find lsof pgrep rg sort test tree");

/** Subcommands of git whose operands are only looked up. */
const GIT_OPERANDS = new Set(
  list("blame branch diff grep log ls-files ls-tree rev-list rev-parse shortlog show status tag"),
);

const anywhere: Names = () => true;

/** A fixed beginning, or `--` before it, keeps a name from being an option or an operator. */
const operand: Names = (words, at) =>
  /^[\w./~]/.test(words[at]!.value) || words.slice(0, at).some((word) => word.value === "--");

const NAMES: ReadonlyMap<string, Names> = new Map<string, Names>([
  ...ANYWHERE.map((program) => [program, anywhere] as const),
  ...OPERANDS.map((program) => [program, operand] as const),
  ["git", (words, at) => words.slice(0, at).some((word) => GIT_OPERANDS.has(word.value)) && operand(words, at)],
  // After the filter, and never as the value of an option that would make the next name the filter.
  ["jq", (words, at) => jqFilter(words) < at && !takesNext(words[at - 1]!, words[at - 2]) && operand(words, at)],
  // Printed as is; with any other conversion, bash does arithmetic.
  ["printf", (words, at) => at > 0 && onlyText(words[0]!)],
  [
    "sed",
    (words, at) =>
      sedScript(words) < at && !/^(-[a-zA-Z]*e|--expression)$/.test(words[at - 1]!.value) && operand(words, at),
  ],
]);

export function takesAnyName(program: string, words: readonly Word[], at: number): boolean {
  return NAMES.get(program)?.(words, at) ?? false;
}

const isPlain = ({ kind }: Word) => kind === "literal" || kind === "braces";

/** The first word that is neither an option nor an option's value; the word count if there is none. */
function jqFilter(words: readonly Word[]): number {
  const at = words.findIndex((word, at) => !word.value.startsWith("-") && !takesNext(words[at - 1], words[at - 2]));
  return at >= 0 && isPlain(words[at]!) ? at : words.length;
}

/** `--arg name value` takes two words, `--indent n` takes one. */
function takesNext(before: Word | undefined, second: Word | undefined): boolean {
  return /^--(arg|argjson|indent)$/.test(before?.value ?? "") || /^--arg(json)?$/.test(second?.value ?? "");
}

function onlyText(format: Word): boolean {
  return format.kind === "literal" && !/%[^%sbq]/.test(format.value.replaceAll("%%", ""));
}

/** The position of the script: the first operand, or the last `-e`. The word count if there is none. */
function sedScript(words: readonly Word[]): number {
  const given = words.findLastIndex((word) => /^(-[a-zA-Z]*e|--expression(=.*)?)$/s.test(word.value));
  const at = given >= 0 ? given : words.findIndex((word) => !word.value.startsWith("-"));
  return at >= 0 && isPlain(words[at]!) ? at : words.length;
}
