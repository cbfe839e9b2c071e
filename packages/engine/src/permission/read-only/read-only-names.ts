// Where a program of the table takes names of files, whatever those are.
// A pattern stands for one or more names that somebody else chose: `-exec`, `w /etc/x`, `.`. A program that says
// nothing here takes none, because a name could become an option, program text, or an operand too many.

import type { Word } from "../command/word.ts";
import { list } from "./read-only-options.ts";

/** Whether the pattern at this place among the words may become any names at all. */
type Names = (words: readonly Word[], at: number) => boolean;

/** No option of theirs writes or runs anything, and every operand is only looked at: `wc -l *`. */
const ANYWHERE = list(`
  : [[ basename cat cksum cmp column comm cut diff dirname du echo egrep expand expr false fgrep fold grep head ls md5sum
  nl od paste readlink realpath rev sha1sum sha256sum sha512sum shasum stat strings tac tail tr true type wc which
`);

/** Any operand is only looked at, but an option could do harm. */
const OPERANDS = list("[ base64 df docker fd file find lsof pgrep rg sort test tree");

/** The subcommands of git whose operands are only looked up. */
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
  // Behind the filter, and never as the value of an option that would leave the next name to be the filter.
  ["jq", (words, at) => jqFilter(words) < at && !takesNext(words[at - 1]!, words[at - 2]) && operand(words, at)],
  // Printed as it is; with any other conversion bash calculates.
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

/** The first word that is no option and no value of one; past the end where there is none. */
function jqFilter(words: readonly Word[]): number {
  const at = words.findIndex((word, at) => !word.value.startsWith("-") && !takesNext(words[at - 1], words[at - 2]));
  return at >= 0 && isPlain(words[at]!) ? at : words.length;
}

/** `--arg name value` takes two words, `--indent n` one. */
function takesNext(before: Word | undefined, second: Word | undefined): boolean {
  return /^--(arg|argjson|indent)$/.test(before?.value ?? "") || /^--arg(json)?$/.test(second?.value ?? "");
}

function onlyText(format: Word): boolean {
  return format.kind === "literal" && !/%[^%sbq]/.test(format.value.replaceAll("%%", ""));
}

/** Where the script stands: as the first operand, or at the last `-e`. Past the end when it is not there. */
function sedScript(words: readonly Word[]): number {
  const given = words.findLastIndex((word) => /^(-[a-zA-Z]*e|--expression(=.*)?)$/s.test(word.value));
  const at = given >= 0 ? given : words.findIndex((word) => !word.value.startsWith("-"));
  return at >= 0 && isPlain(words[at]!) ? at : words.length;
}
