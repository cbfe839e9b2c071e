// What a shell inherits that would give the text of a command another meaning than the one it was judged by.
// All of it is kept out, whoever set it.

import { delimiter, isAbsolute } from "node:path";

/** Variables of bash, each with what it would do. */
export const CLEARED_VARIABLES: Readonly<Record<string, string>> = {
  BASH_COMPAT: "makes bash read text as an older version did",
  BASH_ENV: "names a script that every bash runs first",
  BASH_LOADABLES_PATH: "says where builtins are loaded from",
  BASH_XTRACEFD: "sends traces to another file",
  BASHOPTS: "switches options such as extglob and nullglob",
  CDPATH: "lets `cd sub` lead elsewhere than ./sub",
  ENV: "names a script that every sh runs first",
  EXECIGNORE: "hides programs, so that others of the same name run",
  FIGNORE: "hides files from completion",
  GLOBIGNORE: "hides files from patterns, and makes patterns match names that begin with a dot",
  HISTFILE: "is where `history -w` writes",
  IFS: "splits words at other characters",
  OLDPWD: "is where `cd -` leads",
  POSIXLY_CORRECT: "makes bash and other programs follow other rules",
  PROMPT_COMMAND: "is run before each prompt",
  PS4: "is expanded, with its substitutions, before each traced command",
  // A shell that is told the folder by another name follows `cd ..` through links.
  PWD: "is the folder under the name it was entered by",
  SHELLOPTS: "switches options such as noglob and xtrace",
  TEXTDOMAIN: 'replaces the text of $"…" by what a file says',
  TEXTDOMAINDIR: 'replaces the text of $"…" by what a file says',
  TMOUT: "makes `read` give up",
};

/** Functions that a bash around us exported; one called `ls` would be run for every `ls`. */
const EXPORTED_FUNCTION = /^BASH_FUNC_/;

export function isCleared(name: string): boolean {
  return Object.hasOwn(CLEARED_VARIABLES, name) || EXPORTED_FUNCTION.test(name);
}

/** An environment in which bash understands a command as it was judged. */
export function plainEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !isCleared(name)));
  return kept["PATH"] === undefined ? kept : { ...kept, PATH: absoluteEntries(kept["PATH"]) };
}

/** A relative entry, the empty one included, would let the folder a command runs in say what `ls` is. */
function absoluteEntries(path: string): string {
  return path.split(delimiter).filter(isAbsolute).join(delimiter);
}

/** Options of bash that a start file may set for commands. Any other decides what patterns, words or `cd` mean. */
const KEPT_OPTIONS = new Set(["array_expand_once", "assoc_expand_once", "globstar", "inherit_errexit"]);

/** `shopt -s globstar`. */
export function isKeptOption(line: string): boolean {
  const name = /^shopt -[su] (\w+)$/.exec(line)?.[1];
  return name !== undefined && KEPT_OPTIONS.has(name);
}

/** Cannot be unset, have a value of bash's own, are for other shells, or would switch aliases off (POSIXLY_CORRECT). */
const NOT_UNSET = new Set(["BASH_ENV", "BASHOPTS", "ENV", "POSIXLY_CORRECT", "PS4", "PWD", "SHELLOPTS"]);

/** Run in the shell itself after the user's scripts: what they set of these is not for the command. */
export const CLEAR_SCRIPT = `unset -v ${Object.keys(CLEARED_VARIABLES)
  .filter((name) => !NOT_UNSET.has(name))
  .join(" ")} 2>/dev/null; PS4='+ '`;
