// Where a rule with a star, such as `Bash(cp:*)`, ends: programs that are all about files do not leave the working
// directories by it, and it does not say which script may be read into the shell.

import type { SimpleCommand } from "./command.ts";
import { opensFiles } from "./command-files.ts";
import { PROGRAMS } from "../read-only/read-only-table.ts";

const MOVERS = new Set(["cp", "mkdir", "mv", "rm", "rmdir", "touch"]);

/** Programs whose operands are files and nothing else. What git and the rest take may be anything. */
export function isBound({ words }: SimpleCommand): boolean {
  const name = words[0]?.value ?? "";
  return MOVERS.has(name) || (name !== "git" && Object.hasOwn(PROGRAMS, name) && opensFiles(name));
}

/** Whether a rule for `source` or `.` says which file it is about; true for every other program. */
export function namesScript(content: string, { words }: SimpleCommand): boolean {
  const [program, script] = words;
  if (program?.value !== "source" && program?.value !== ".") return true;
  const named = content.slice(0, content.indexOf("*")).replace(/:$/, "").trim().split(/\s+/);
  return script !== undefined && named[1] === script.text;
}
