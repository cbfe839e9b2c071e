// Where a rule with a star, such as `Bash(cp:*)`, ends: programs that are all about files do not leave the working
// directories by it, and it does not say which script may be read into the shell.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "./command.ts";
import { opensFiles } from "./command-files.ts";
import { optionsOf } from "../options/table.ts";
import { PROGRAMS } from "../read-only/read-only-table.ts";

const MOVERS = new Set(["awk", "cp", "gawk", "mawk", "mkdir", "mv", "nawk", "rm", "rmdir", "touch"]);

/**
 * Programs whose operands are files and nothing else; what git and the rest take may be anything. A link is one of them
 * where more follows that could go through it.
 */
export function isBound({ words }: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const name = basename(words[0]?.value ?? "");
  if (name === "ln") return all.length > 1;
  // `git diff` compares any two files; a revision among its operands looks like a file inside.
  if (name === "git") return words.some(({ value }) => value === "diff" || value === "--no-index");
  if (optionsOf(name)?.narrowed) return false;
  if (MOVERS.has(name)) return true;
  // A pattern among words that are only text still lists the folder it looks in.
  return Object.hasOwn(PROGRAMS, name) && (opensFiles(name) || words.some(({ kind }) => kind === "glob"));
}

/** Whether a rule for `source` or `.` says which file it is about; true for every other program. */
export function namesScript(content: string, { words }: SimpleCommand): boolean {
  const [program, script] = words;
  if (program?.value !== "source" && program?.value !== ".") return true;
  const named = content.slice(0, content.indexOf("*")).replace(/:$/, "").trim().split(/\s+/);
  return script !== undefined && named[1] === script.text;
}

/** Programs that print the names of files beneath the folders they are given, and nothing anybody could choose freely. */
const LISTERS = new Set(["fd", "find", "rg", "grep", "egrep", "fgrep", "git"]);
const PASSERS = new Set(["egrep", "fgrep", "grep", "head", "sort", "tail", "uniq"]);

/** The command whose output `xargs` hands to a program that is all about files; undefined where there is none. */
export function feederOf(part: SimpleCommand, all: readonly SimpleCommand[]): SimpleCommand | undefined {
  if (basename(part.words[0]?.value ?? "") !== "xargs" || !part.runs.some((each) => isBound(each, all)))
    return undefined;
  let at = all.indexOf(part) - 1;
  while (at >= 0 && PASSERS.has(all[at]!.words[0]?.value ?? "") && !listsFiles(all[at]!)) at--;
  return all[at];
}

/** Whether it may print the names of links: searches skip them, and so do those that look for files only. */
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

/** Whether `xargs` would hand names to such a program that come from anywhere: `echo /etc/x | xargs rm`. */
export function isFedFreely(part: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  if (basename(part.words[0]?.value ?? "") !== "xargs" || !part.runs.some((each) => isBound(each, all))) return false;
  const feeder = feederOf(part, all);
  return feeder?.piped !== true || !listsFiles(feeder);
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
