// What `xargs` adds to the command it starts: the names another part of the line prints. Two things can go wrong with
// them: they may name files that were not judged, and they may look like options.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { isBound } from "../rules/rule-limits.ts";
import { textWords } from "../files/text-words.ts";

/** Programs that print only names of files below the folders they are given. */
const LISTERS = new Set(["fd", "find", "rg", "grep", "egrep", "fgrep", "git"]);
/** Programs that print some of the lines they read, unchanged. */
const FILTERS = new Set(["egrep", "fgrep", "grep", "head", "sort", "tail", "uniq"]);

interface XargsInput {
  /** Nothing comes before xargs in the line, so it reads an empty input. */
  readonly isEmpty: boolean;
  /** The part right before it. */
  readonly before: SimpleCommand | undefined;
  /** The part that printed the names, before any filters. */
  readonly printer: SimpleCommand | undefined;
}

/** Undefined for a part that is not xargs. */
function inputOf(part: SimpleCommand, all: readonly SimpleCommand[]): XargsInput | undefined {
  if (basename(part.words[0]?.value ?? "") !== "xargs") return undefined;
  const at = all.indexOf(part);
  let from = at - 1;
  while (from >= 0 && isFilter(all[from]!) && !listsFiles(all[from]!)) from--;
  return { isEmpty: at === 0, before: all[at - 1], printer: all[from] };
}

/** It reads its input, not a file whose lines may be any names. */
function isFilter({ words: [program, ...words], within, redirections }: SimpleCommand): boolean {
  const name = program?.value ?? "";
  if (!FILTERS.has(name) || within.length > 0 || redirections.some(({ kind }) => kind !== "write")) return false;
  const texts = textWords(name, words);
  return words.every(({ value }, at) => texts?.has(at) ?? (/^-./.test(value) || /^[+-]?\d+$/.test(value)));
}

/** The part that prints the names xargs passes to a program whose operands are files; undefined when there is none. */
export function printerFor(part: SimpleCommand, all: readonly SimpleCommand[]): SimpleCommand | undefined {
  return startsFileProgram(part, all) ? inputOf(part, all)?.printer : undefined;
}

/** Whether a program whose operands are files may get names from anywhere: `echo /etc/x | xargs rm`. */
export function mayAddAnyFile(part: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const input = inputOf(part, all);
  if (input === undefined || !startsFileProgram(part, all)) return false;
  return input.printer?.piped !== true || !listsFiles(input.printer);
}

/**
 * Whether a name that xargs adds may be read as an option. The names `find` prints begin with the folder it searched,
 * never with a dash, but each is one word only when they are separated by null characters.
 */
export function mayAddOption(part: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const input = inputOf(part, all);
  if (input === undefined) return false;
  if (part.redirections.some(({ kind }) => kind === "read" || kind === "text")) return true;
  if (input.isEmpty) return false;
  const { before } = input;
  if (before === undefined || before.within.length > 0 || !part.words.some(({ value }) => /^-[rtx]*0/.test(value)))
    return true;
  const [program, ...words] = before.words;
  const isFind = part.piped === true && before.piped === true && program?.value === "find";
  const isPlain = words.every(
    ({ kind, value }) => kind !== "glob" && !/^-(print|printf|ls|exec|execdir|ok|okdir)$/.test(value),
  );
  return !isFind || !isPlain || !words.some(({ value }) => value === "-print0");
}

/** Whether a command may print the names of links. Searches skip links, and so do commands that only look for files. */
export function listsLinks({ words: [program, ...words] }: SimpleCommand): boolean {
  const has = (pattern: RegExp) => words.some(({ value }) => pattern.test(value));
  const isOnly = (option: RegExp) =>
    words.some(({ value }, at) => value === "f" && option.test(words[at - 1]?.value ?? ""));
  switch (program?.value) {
    case "find":
      return !isOnly(/^-type$/) || has(/^(-o|-or|,|!|-not|-L|-follow)$/);
    case "fd":
      return !(isOnly(/^(-t|--type)$/) || has(/^(-tf|--type=f(ile)?)$/)) || has(/^(-[a-zA-Z]*L|--follow)/);
    default:
      return program?.value === "git";
  }
}

function startsFileProgram(part: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  return part.runs.some((each) => isBound(each, all));
}

function listsFiles({ words: [program, ...words], within }: SimpleCommand): boolean {
  const name = program?.value ?? "";
  if (!LISTERS.has(name) || within.length > 0) return false;
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word.value));
  if (name === "find") return !has(/^-printf$/);
  if (name === "fd") return true;
  if (name === "git") return words[0]?.value === "ls-files" || has(/^--name-only$/);
  return has(/^(-[a-zA-Z0-9]*l|--files(-with(out)?-match(es)?)?$)/);
}
