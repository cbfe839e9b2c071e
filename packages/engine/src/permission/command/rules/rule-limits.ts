// The limits of a rule with a star, such as `Bash(cp:*)`: programs that only work on files stay in the working
// directories, and the rule does not say which script the shell may source.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { opensFiles } from "../files/command-files.ts";
import { optionsOf } from "../../options/table.ts";
import { PROGRAMS } from "../../read-only/read-only-table.ts";

const MOVERS = new Set(["awk", "cp", "gawk", "mawk", "mkdir", "mv", "nawk", "rm", "rmdir", "touch"]);

/**
 * Programs whose operands are only files; the operands of git and others may be anything. `ln` counts if more commands
 * follow that could go through the link.
 */
export function isBound({ words }: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const name = basename(words[0]?.value ?? "");
  if (name === "ln") return all.length > 1;
  // `git diff` compares any two files; a revision among its operands looks like a file inside.
  if (name === "git") return words.some(({ value }) => value === "diff" || value === "--no-index");
  if (optionsOf(name)?.narrowed) return false;
  if (MOVERS.has(name)) return true;
  // A pattern in words that are only text still lists its folder.
  return Object.hasOwn(PROGRAMS, name) && (opensFiles(name) || words.some(({ kind }) => kind === "glob"));
}

/** Whether a rule for `source` or `.` names the script; true for every other program. */
export function namesScript(content: string, { words }: SimpleCommand): boolean {
  const [program, script] = words;
  if (program?.value !== "source" && program?.value !== ".") return true;
  const named = content.slice(0, content.indexOf("*")).replace(/:$/, "").trim().split(/\s+/);
  return script !== undefined && named[1] === script.text;
}
