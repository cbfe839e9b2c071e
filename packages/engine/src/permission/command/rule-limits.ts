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
