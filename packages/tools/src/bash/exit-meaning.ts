// Exit codes that are answers, not failures, and commands that normally print nothing. Pure.

import { simpleCommands } from "./simple-commands.ts";

/** Undefined if the code means an ordinary failure. */
export function exitMeaning(command: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const chain = simpleCommands(command)?.statements.at(-1);
  const last = chain?.at(-1)?.at(-1);
  if (!chain || last === undefined) return undefined;
  // In `a && b` the code may come from `a`, unless `a` is a command that practically never fails.
  const isCertain = chain.slice(0, -1).every((pipeline) => HARMLESS.has(pipeline.at(-1) ?? ""));
  return isCertain ? ANSWERS.get(last) : undefined;
}

/** Whether a successful command prints nothing, such as mkdir. */
export function isSilent(command: string): boolean {
  const statements = simpleCommands(command)?.statements ?? [];
  return statements.length > 0 && statements.every((chain) => chain.flat().every((name) => SILENT.has(name)));
}

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ["grep", "No matches found"],
  ["egrep", "No matches found"],
  ["fgrep", "No matches found"],
  ["rg", "No matches found"],
  ["diff", "Files differ"],
  ["test", "Condition is false"],
  ["[", "Condition is false"],
]);

const HARMLESS = new Set(["cd", "echo", "printf", "true", "export", "pwd"]);
const SILENT = new Set("mv cp rm mkdir rmdir chmod chown chgrp touch ln cd export unset wait true".split(" "));
