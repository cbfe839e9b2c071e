// Variables that change what commands do, and the builtins that set variables by name.

import type { Assignment } from "./command.ts";
import type { Word } from "./word.ts";

/** They decide which program runs, what it loads, or how the shell reads the rest of the command. */
const RULING =
  /^(?:PATH|IFS|CDPATH|HOME|ENV|SHELL|SHELLOPTS|BASH.*|LD_.*|DYLD_.*|PS\d|PROMPT_COMMAND|GLOBIGNORE|EXECIGNORE|FPATH|ZDOTDIR|POSIXLY_CORRECT|FUNCNAME|GIT_.*|SSH_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|.*_PROXY|.*_proxy|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|BUN_.*|PYTHON(?:PATH|HOME|STARTUP)|PERL5?(?:LIB|OPT|DB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GCONV_PATH|.*PRELOAD)$/;

const DECLARING = new Set(["declare", "export", "local", "readonly", "typeset", "unset"]);
const NAMING = new Set(["getopts", "mapfile", "read", "readarray", "wait"]);

/** Such variables that a builtin sets or unsets. They have no value here, so no allow rule covers them. */
export function sensitiveAssignments([program, ...words]: readonly Word[]): Assignment[] {
  const name = program?.kind === "literal" ? program.value : "";
  if (!DECLARING.has(name) && !NAMING.has(name) && name !== "let" && !(name === "printf" && printfAssigns(words)))
    return [];
  return words.flatMap(({ value }) => {
    const variable = /^(?:-[a-zA-Z]*[vap])?([A-Za-z_]\w*)(?:$|\[|\+?=)/.exec(value)?.[1];
    return variable !== undefined && RULING.test(variable) ? [{ name: variable }] : [];
  });
}

/** `-v` and `%n` name a variable; a pattern may become either. */
function printfAssigns(words: readonly Word[]): boolean {
  if (words[0]?.kind === "glob" || words[0]?.value.startsWith("-v")) return true;
  return words.some(({ value }) => /%[^%a-zA-Z]*[hlLjtz]*n/.test(value));
}

export const isRuling = ({ name }: Assignment) => RULING.test(name);

/** The shell expands or runs the value of these. */
export function isExpandedLater({ name }: Assignment): boolean {
  return /^(?:PS\d|PROMPT_COMMAND)$/.test(name);
}

/** Programs run the value of these as a command. */
const COMMANDS =
  /^(?:PROMPT_COMMAND|GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|ASKPASS|EXTERNAL_DIFF|CONFIG_VALUE_\d+|.*EDITOR)|(?:SSH|SUDO)_ASKPASS|(?:RSYNC|CVS)_RSH|.*PAGER|EDITOR|VISUAL|BROWSER|LESS(?:OPEN|CLOSE)|(?:NPM_CONFIG|npm_config)_(?:script_shell|SCRIPT_SHELL|editor|EDITOR))$/;

/** Code in a variable: a command for another program, or a function exported to another shell. */
export function codeInVariable({ name, value }: Assignment): string | undefined {
  if (value?.kind !== "literal") return undefined;
  if (COMMANDS.test(name)) return value.value.replace(/^\|+-?/, "");
  return name.startsWith("BASH_FUNC_") && value.value.startsWith("()") ? `f${value.value}` : undefined;
}

/** A startup file for shells whose name or content is unknown. */
export function loadsUnknown({ name, value }: Assignment): boolean {
  return /^(?:BASH_ENV|ENV)$/.test(name) && value?.kind === "unknown";
}
