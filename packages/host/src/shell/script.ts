// The script around a command for `bash -c`, or for another shell if there is no bash. Pure.

import { basename } from "node:path";
import type { ShellProgram } from "./environment/choose.ts";
import { KEEP_LOCK_LIMIT } from "../programs/lock-limit.ts";
import { CLEAR_SCRIPT } from "./environment/cleared-variables.ts";

export interface ScriptParts {
  readonly command: string;
  /** The first lines. */
  readonly first?: readonly string[];
  readonly shell: ShellProgram;
  readonly snapshot: string | null;
  /** The user's script to source before every command. */
  readonly envFile: string | undefined;
  /** Scripts written by hooks, sourced after it. */
  readonly hookFiles?: readonly string[];
  /** Added to the end of PATH. */
  readonly programFolders?: readonly string[];
  /** Programs that the command runs by name: these files, whatever the PATH says. Only for bash. */
  readonly located?: readonly string[];
  /** A program that runs the script, which it gets as its only argument. */
  readonly prefix: string | undefined;
  /** Write the final directory to descriptor 3. */
  readonly reportsDirectory: boolean;
  /** Keep stderr apart from stdout. */
  readonly keepsErrors?: boolean;
}

/**
 * The directory is reported after the command and, if the command calls `exit`, by a trap, unless the command sets its
 * own trap. The descriptor is moved because the command may use 3 itself.
 */
export function scriptFor(parts: ScriptParts): string {
  const { command, shell, snapshot, envFile, hookFiles = [], programFolders = [], prefix, reportsDirectory } = parts;
  const { first = [] } = parts;
  const merged = parts.keepsErrors ? [] : ["exec 2>&1"];
  const note = shell.kind === "bash" ? 19 : 7; // other shells allow only one digit
  const script = [
    ...first,
    ...(reportsDirectory ? [`exec 2>&1 ${note}>&3 3>&-`] : merged),
    ...(reportsDirectory ? [`trap '{ pwd -P >&${note}; } 2>/dev/null' EXIT`] : []),
    ...(snapshot ? [`. ${quote(snapshot)}`] : []),
    ...(envFile ? [`[ -r ${quote(envFile)} ] && . ${quote(envFile)}`] : []),
    ...sourceLines(hookFiles),
    ...pathLines(programFolders),
    ...(shell.kind === "bash" ? [KEEP_LOCK_LIMIT, CLEAR_SCRIPT] : []),
    ...(parts.located ?? []).map((path) => `hash -p ${quote(path)} ${basename(path)}`),
    `eval ${quote(command)}`,
    ...(reportsDirectory ? [`set -- $?; pwd -P 2>/dev/null >&${note}; exec ${note}>&-; exit $1`] : []),
  ].join("\n");
  return prefix ? `${prefix} ${quote(script)}` : script;
}

/** A file that is missing, broken, fails or calls `exit` must not stop the command. */
function sourceLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const lines = files.map(quote).map((file) => `[ -r ${file} ] && . ${file} || :`);
  return ["exit() { return 0; }", ...lines, "unset -f exit"];
}

/** After all other scripts, because they may replace the PATH. A colon cannot be part of a folder on the PATH. */
function pathLines(folders: readonly string[]): readonly string[] {
  const added = folders.filter((folder) => folder.startsWith("/") && !folder.includes(":"));
  return added.length === 0 ? [] : [`export PATH="${"${PATH:+$PATH:}"}"${quote(added.join(":"))}`];
}

/** Parses the output of `pwd -P`: a path and a newline. */
export function directoryFrom(note: string): string | null {
  return note.startsWith("/") && note.endsWith("\n") ? note.slice(0, -1) : null;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
