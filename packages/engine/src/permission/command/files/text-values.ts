// Words of well-known programs that are text or names to leave out: a commit message, what `grep --exclude` skips, what
// `find` does not look into. Where they may be anything else, they are left to the rules for files.

import type { Word } from "../analysis/word.ts";

/** By program: options whose value is text or a name to leave out, alone and with the value in the same word. */
const TEXTS: readonly (readonly [program: RegExp, option: RegExp, glued: RegExp])[] = [
  [/^git$/, /^(?:-a?s?m|--message)$/, /^(?:-m.|--message=)/s],
  [/^gh$/, /^(?:-[tb]|--title|--body)$/, /^--(?:title|body)=/],
  [/^(?:[ef]?grep|rsync|du)$/, /^--exclude(?:-dir)?$/, /^--exclude(?:-dir)?=/],
  [/^(?:tar|zip)$/, /^(?!)/, /^--exclude=/],
  [/^rg$/, /^(?!)/, /^(?:-g|--glob=)!/],
  [/^tree$/, /^-I$/, /^(?!)/],
  [/^(?:eslint|stylelint)$/, /^--ignore-pattern$/, /^--ignore-pattern=/],
];

/** By program: letters of options without a value. After any other option, what looks like one may be its value. */
const SWITCHES: readonly (readonly [program: RegExp, switches: RegExp])[] = [
  [/^[ef]?grep$/, /^-[EFGHILPRUZabchilnoqrsvwxyz]+$/],
  [/^rsync$/, /^-[DHPRWacghlmnoprtuvxz]+$/],
  [/^du$/, /^-[0DHLPSabchklmsx]+$/],
  [/^tree$/, /^-[ACDFJNQRSXadfghilpqrstux]+$/],
  [/^gh$/, /^--(?:draft|fill|web)$/],
  [
    /^git$/,
    /^(?:-[Saefknpqsuv]+|--(?:all|allow-empty|amend|annotate|force|include-untracked|keep-index|no-edit|no-ff|no-verify|patch|quiet|signoff|squash|staged))$/,
  ],
];

/** Elsewhere, these options mean something else: `git grep -m`, `git checkout -m`. */
const MESSAGES: Readonly<Record<string, RegExp>> = {
  gh: /^(?:issue|pr|release|secret|variable)$/,
  git: /^(?:commit|merge|notes|revert|stash|tag)$/,
};

/** After `--`, what looks like an option is a file, and so is what looks like its value. */
export function upToEnd(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ value }) => value === "--");
  return end < 0 ? words : words.slice(0, end);
}

export function textValues(name: string, subcommand: string | undefined, all: readonly Word[]): readonly Word[] {
  if (name === "find") return leftOut(all);
  if (Object.hasOwn(MESSAGES, name) && !MESSAGES[name]!.test(subcommand ?? "")) return [];
  const words = upToEnd(all);
  const own = TEXTS.filter(([program]) => program.test(name));
  const switches = SWITCHES.filter(([program]) => program.test(name));
  // In `grep -v -e --exclude secrets`, the option is a pattern, and its value a file.
  const mayTakeNext = ({ value }: Word) =>
    value.startsWith("-") && !switches.some(([, letters]) => letters.test(value));
  const found = new Set<Word>();
  let isUnsure = false;
  for (const [at, word] of words.entries()) {
    const [option, before] = [words[at - 1], words[at - 2]];
    if (option && !found.has(option) && own.some(([, given]) => given.test(option.value))) {
      if (!isUnsure && (!before || found.has(before) || !mayTakeNext(before))) found.add(word);
    } else if (own.some(([, , glued]) => glued.test(word.value))) found.add(word);
    // It may be such a `-e`, or a `--`.
    isUnsure ||= !found.has(word) && isOpen(word);
  }
  return [...found];
}

const isOpen = ({ kind, value }: Word) => kind === "unknown" || (kind === "glob" && /^[*?[]/.test(value));

/**
 * `find . -name node_modules -prune -o -name '*.ts' -print`, `find . -not -path './dist/*'`, where it only prints names.
 * Without the `-print`, it prints what it prunes; with brackets or `-o`, what `-not` leaves out may be all that it prints.
 */
function leftOut(words: readonly Word[]): readonly Word[] {
  const values = words.map(({ value }) => value);
  if (words.some(isOpen)) return [];
  if (values.some((value) => /^(?:[(),]|-(?:exec|ok|delete|f(?:ls|print)).*)$/s.test(value))) return [];
  const prints = /^-print0?$/.test(values.at(-1) ?? "") && /^(?:[^-]|-o$|-or$)/.test(values.at(-2) ?? "");
  const isPlain = !values.some((value) => /^-or?$/.test(value));
  const isNot = (at: number) => /^(?:!|-not)$/.test(values[at] ?? "") && /^[^-!]|^$/.test(values[at - 1] ?? "");
  return words.filter(
    (_, at) =>
      /^-i?(?:name|path|wholename)$/.test(values[at - 1] ?? "") &&
      (isNot(at - 2) ? isPlain : prints && values[at + 1] === "-prune" && /^-or?$/.test(values[at + 2] ?? "")),
  );
}
