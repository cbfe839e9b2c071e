// Which words of `grep`, `sed` and similar programs are patterns, programs or numbers rather than files: `grep -e /api
// src`. Only if every option is known; otherwise each word may be a file.

import type { Word } from "../analysis/word.ts";

interface Grammar {
  /** Letters of options without a value, and of options whose value is not a file. */
  readonly flags: string;
  readonly valued: string;
  /** The same for long names. */
  readonly long: string;
  readonly longValued: string;
  /** Options that give the pattern or program; without them, the first operand is it. */
  readonly brings: RegExp;
  /** Options that take two values. */
  readonly pairs?: RegExp;
}

const grep: Grammar = {
  flags: "abchilnoqrsvwxyzEFGHILPRTUVZ0123456789",
  valued: "eABCm",
  long: "basic-regexp count dereference-recursive extended-regexp files-with-matches files-without-match fixed-strings ignore-case invert-match line-buffered line-number line-regexp no-filename no-messages null only-matching perl-regexp quiet recursive silent text with-filename word-regexp",
  longValued:
    "after-context before-context binary-files color colour context exclude exclude-dir include max-count regexp",
  brings: /^(-[a-zA-Z0-9]*e|--regexp)/,
};

/** What `git grep` takes beyond `grep`. Words after the pattern are revisions and files. */
const gitGrep: Grammar = {
  ...grep,
  flags: "achilnopqrvwzEFGHILPW0123456789",
  long: `${grep.long} all-match and break cached full-name function-context heading name-only not or untracked`,
  longValued: "after-context before-context color context max-count max-depth threads",
  brings: /^-[a-zA-Z0-9]*e/,
};

const awk: Grammar = { flags: "", valued: "Fv", long: "csv", longValued: "field-separator assign", brings: /^(?!)/ };

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  awk,
  egrep: grep,
  fgrep: grep,
  gawk: awk,
  grep,
  jq: {
    flags: "acCehijMnrsSR",
    valued: "",
    long: "color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output slurp sort-keys tab",
    longValued: "indent",
    brings: /^(?!)/,
    pairs: /^--arg(json)?$/,
  },
  mawk: awk,
  nawk: awk,
  rg: {
    flags: "abchilnopqsuvwxFHILNPSUV0",
    valued: "eABCMTdgjmrt",
    long: "case-sensitive column count count-matches files-with-matches files-without-match fixed-strings follow heading hidden ignore-case invert-match json line-number line-regexp multiline multiline-dotall no-config no-filename no-heading no-ignore no-ignore-vcs no-line-number no-messages null only-matching passthru pcre2 pretty quiet smart-case stats trim vimgrep with-filename word-regexp",
    longValued:
      "after-context before-context color colors context glob iglob max-columns max-count max-depth regexp replace sort sortr threads type type-not",
    brings: /^(-[a-zA-Z0-9]*e|--regexp)/,
  },
  sed: {
    flags: "nErsuz",
    valued: "e",
    long: "quiet silent regexp-extended separate unbuffered null-data in-place",
    longValued: "expression",
    brings: /^(-[nErsuz]*e|--expression)/,
  },
};

/** Some versions of grep take no value for these; a next word that is not a number is then the pattern. */
const NUMBERED = /^-[a-zA-Z0-9]*[ABCMdjm]$/;

/** As `wordsOfText`, for the words after `grep` in `git grep`. */
function gitTextWords(words: readonly Word[]): ReadonlySet<number> | undefined {
  const [subcommand, ...rest] = words;
  const found = subcommand?.value === "grep" ? wordsOfText(gitGrep, "git grep", rest) : undefined;
  return found && new Set([0, ...[...found].map((at) => at + 1)]);
}

/** The positions of those words. Undefined if the program is unknown, or its options leave any doubt. */
export function textWords(name: string, words: readonly Word[]): ReadonlySet<number> | undefined {
  if (name === "git") return gitTextWords(words);
  return Object.hasOwn(GRAMMARS, name) ? wordsOfText(GRAMMARS[name]!, name, words) : undefined;
}

function wordsOfText(grammar: Grammar, name: string, words: readonly Word[]): ReadonlySet<number> | undefined {
  if (words.some(({ kind }) => kind === "unknown")) return undefined;
  const found = new Set<number>();
  const end = words.findIndex(({ value }) => value === "--");
  const isOption = (at: number) => (end < 0 || at < end) && /^-./.test(words[at]!.value) && at !== end;
  const brought = words.some(({ value }, at) => isOption(at) && grammar.brings.test(value));
  let wanted = brought ? 0 : 1;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (at === end) continue;
    if (isOption(at)) {
      // `--include=*.ts` stays that option, whatever it matches.
      const sure = word.kind === "literal" || (word.kind === "glob" && /^--[a-z-]+=/.test(word.value));
      const values = sure ? valuesOf(word.value, grammar, name) : undefined;
      if (values === undefined) return undefined;
      found.add(at);
      if (values === 1 && NUMBERED.test(word.value) && !/^\d+$/.test(words[at + 1]?.value ?? "")) return undefined;
      // A file name pattern becomes several words, and only the first of them is not a file.
      if (words.slice(at + 1, at + 1 + values).some(({ kind }) => kind === "glob")) return undefined;
      for (let more = values; more > 0; more--) found.add(++at);
    } else if (wanted > 0) {
      if (word.kind === "glob") return undefined;
      wanted--;
      found.add(at);
    }
  }
  return found;
}

/** How many of the next words belong to the option; undefined if it is unknown. */
function valuesOf(
  option: string,
  { flags, valued, long, longValued, pairs }: Grammar,
  name: string,
): number | undefined {
  if (pairs?.test(option)) return 2;
  if (option.startsWith("--")) {
    const [title, value] = option.slice(2).split("=", 2);
    if (longValued.split(" ").includes(title!)) return value === undefined && !/^colou?r$/.test(title!) ? 1 : 0;
    return long.split(" ").includes(title!) && isSuffix(value ?? "") ? 0 : undefined;
  }
  for (let at = 1; at < option.length; at++) {
    const letter = option[at]!;
    // The rest of the word is the suffix of the backup copy.
    if (name === "sed" && letter === "i") return isSuffix(option.slice(at + 1)) ? 0 : undefined;
    if (valued.includes(letter)) return at === option.length - 1 ? 1 : 0;
    if (!flags.includes(letter)) return undefined;
  }
  return 0;
}

/** With a slash in it, the backup copy goes to another folder. */
const isSuffix = (value: string) => !value.includes("/");
