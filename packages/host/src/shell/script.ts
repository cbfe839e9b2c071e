// The text handed to `bash -c` around a command, or to another shell where there is no bash. Pure.

import type { ShellProgram } from "./environment/choose.ts";
import { CLEAR_SCRIPT } from "./environment/cleared-variables.ts";

export interface ScriptParts {
  readonly command: string;
  readonly shell: ShellProgram;
  readonly snapshot: string | null;
  /** A script of the user's, run before every command. */
  readonly envFile: string | undefined;
  /** Scripts that hooks wrote, run after it. */
  readonly hookFiles?: readonly string[];
  /** A program that is given the whole script as its one argument and runs it. */
  readonly prefix: string | undefined;
  /** Leave the final directory on descriptor 3. */
  readonly reportsDirectory: boolean;
}

/**
 * The directory is told twice over: after the command, and on `exit` in the middle of it by a trap, unless the
 * command set a trap of its own. The descriptor is moved out of the way of commands that use 3 themselves.
 */
export function scriptFor(parts: ScriptParts): string {
  const { command, shell, snapshot, envFile, hookFiles = [], prefix, reportsDirectory } = parts;
  const note = shell.kind === "bash" ? 19 : 7; // other shells take one digit only
  const script = [
    reportsDirectory ? `exec 2>&1 ${note}>&3 3>&-` : "exec 2>&1",
    ...(reportsDirectory ? [`trap '{ pwd -P >&${note}; } 2>/dev/null' EXIT`] : []),
    ...(snapshot ? [`. ${quote(snapshot)}`] : []),
    ...(envFile ? [`[ -r ${quote(envFile)} ] && . ${quote(envFile)}`] : []),
    ...sourceLines(hookFiles),
    ...(shell.kind === "bash" ? [CLEAR_SCRIPT] : []),
    `eval ${quote(command)}`,
    ...(reportsDirectory ? [`set -- $?; pwd -P 2>/dev/null >&${note}; exec ${note}>&-; exit $1`] : []),
  ].join("\n");
  return prefix ? `${prefix} ${quote(script)}` : script;
}

/** A file that is missing, broken, fails or says `exit` is not the end of the command. */
function sourceLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const lines = files.map(quote).map((file) => `[ -r ${file} ] && . ${file} || :`);
  return ["exit() { return 0; }", ...lines, "unset -f exit"];
}

/** What `pwd -P` left: a path and a newline. */
export function directoryFrom(note: string): string | null {
  return note.startsWith("/") && note.endsWith("\n") ? note.slice(0, -1) : null;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
