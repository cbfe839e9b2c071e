// Removes everything from a shell's environment that could change the meaning of a command after the gate checked it.

import { delimiter, isAbsolute } from "node:path";

/** Bash variables and what each would do. */
export const CLEARED_VARIABLES: Readonly<Record<string, string>> = {
  BASH_COMPAT: "makes bash parse like an older version",
  BASH_ENV: "is a script that every bash runs first",
  BASH_LOADABLES_PATH: "is where builtins are loaded from",
  BASH_XTRACEFD: "sends traces to another file",
  BASHOPTS: "sets options such as extglob and nullglob",
  CDPATH: "lets `cd sub` go somewhere other than ./sub",
  ENV: "is a script that every sh runs first",
  EXECIGNORE: "hides programs, so others with the same name run",
  FIGNORE: "hides files from completion",
  GLOBIGNORE: "hides files from patterns, and makes patterns match hidden files",
  HISTFILE: "is where `history -w` writes",
  IFS: "splits words at other characters",
  OLDPWD: "is where `cd -` goes",
  POSIXLY_CORRECT: "changes the rules of bash and other programs",
  PROMPT_COMMAND: "is run before each prompt",
  PS4: "is expanded, with its substitutions, before each traced command",
  // With another name for the folder, `cd ..` goes back through links.
  PWD: "is the folder under the name it was entered by",
  SHELLOPTS: "sets options such as noglob and xtrace",
  TEXTDOMAIN: 'replaces the text of $"…" with text from a file',
  TEXTDOMAINDIR: 'replaces the text of $"…" with text from a file',
  TMOUT: "makes `read` time out",
};

/** Functions exported by an outer bash; a function named `ls` would run for every `ls`. */
const EXPORTED_FUNCTION = /^BASH_FUNC_/;

export function isCleared(name: string): boolean {
  return Object.hasOwn(CLEARED_VARIABLES, name) || EXPORTED_FUNCTION.test(name);
}

/** An environment in which bash reads a command exactly as the gate did. */
export function plainEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !isCleared(name)));
  return kept["PATH"] === undefined ? kept : { ...kept, PATH: absoluteEntries(kept["PATH"]) };
}

/** A relative entry, including an empty one, would let the current folder decide what `ls` is. */
function absoluteEntries(path: string): string {
  return path.split(delimiter).filter(isAbsolute).join(delimiter);
}

/** Bash options that a startup file may set. All others change the meaning of patterns, words or `cd`. */
const KEPT_OPTIONS = new Set(["array_expand_once", "assoc_expand_once", "globstar", "inherit_errexit"]);

/** `shopt -s globstar`. */
export function isKeptOption(line: string): boolean {
  const name = /^shopt -[su] (\w+)$/.exec(line)?.[1];
  return name !== undefined && KEPT_OPTIONS.has(name);
}

/** Cannot be unset, are set by bash, are for other shells, or would disable aliases (POSIXLY_CORRECT). */
const NOT_UNSET = new Set(["BASH_ENV", "BASHOPTS", "ENV", "POSIXLY_CORRECT", "PS4", "PWD", "SHELLOPTS"]);

/** Runs in the shell after the user's scripts, which may have set these variables. */
export const CLEAR_SCRIPT = `unset -v ${Object.keys(CLEARED_VARIABLES)
  .filter((name) => !NOT_UNSET.has(name))
  .join(" ")} 2>/dev/null; PS4='+ '`;
