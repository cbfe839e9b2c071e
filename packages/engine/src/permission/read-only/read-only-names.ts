// Where a read-only program takes file names, whatever they are. A pattern stands for one or more names that someone
// else chose: `-exec`, `.`. A program not listed here takes none, because a name could become an option or an extra operand.
// Program text is never a pattern; see `options/code-words.ts`.

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
const OPERANDS = list("[ base64 df docker fd file find lsof pgrep rg sed sort test tree");

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
  // Never as the value of an option that would make the next name the filter.
  ["jq", (words, at) => !takesNext(words[at - 1], words[at - 2]) && operand(words, at)],
  // Printed as is; with any other conversion, bash does arithmetic.
  ["printf", (words, at) => at > 0 && onlyText(words[0]!)],
]);

export function takesAnyName(program: string, words: readonly Word[], at: number): boolean {
  return NAMES.get(program)?.(words, at) ?? false;
}

/** `--arg name value` takes two words, `--indent n` takes one. */
function takesNext(before: Word | undefined, second: Word | undefined): boolean {
  return /^--(arg|argjson|indent)$/.test(before?.value ?? "") || /^--arg(json)?$/.test(second?.value ?? "");
}

function onlyText(format: Word): boolean {
  return format.kind === "literal" && !/%[^%sbq]/.test(format.value.replaceAll("%%", ""));
}
