// Whether a command only looks. Which programs do, and with which options, is in `read-only-table.ts`.
// Where a program looks is not decided here: see `command-files.ts`.

import type { CommandAnalysis, SimpleCommand } from "../command/command.ts";
import { takesAnyName } from "./read-only-names.ts";
import { PROGRAMS } from "./read-only-table.ts";
import type { Word } from "../command/word.ts";

export { isSafeSedScript } from "./read-only-sed.ts";

/** Longer commands always ask, as in the reference. */
const LONGEST = 10_000;

/** Every part of the command is on the list, stands in the open, and writes nowhere. */
export function isReadOnly(analysis: CommandAnalysis): boolean {
  if (analysis.problem !== undefined || analysis.commands.length === 0 || analysis.command.length > LONGEST)
    return false;
  if (!analysis.commands.every(looksOnly)) return false;
  // A `cd` into a folder with its own git configuration makes git run what that folder says.
  const programs = analysis.commands.map((command) => command.words[0]?.value);
  return !(programs.includes("cd") && programs.includes("git"));
}

/** One part on its own. */
function looksOnly(command: SimpleCommand): boolean {
  return command.redirections.every(writesNothing) && looksOnlyButRedirects(command);
}

/** The same, but for where its output goes. */
export function looksOnlyButRedirects(command: SimpleCommand): boolean {
  if (command.within.length > 0 || command.opaque || command.runs.length > 0) return false;
  const [program, ...rest] = command.words;
  if (!command.redirections.every(readsKnown)) return false;
  if (program === undefined) return command.assignments.every(isPlainVariable);
  if (!command.assignments.every(isSafeAssignment) || program.kind !== "literal") return false;
  if (!Object.hasOwn(PROGRAMS, program.value)) return false;
  // The shell drops what is left empty between braces: `printf {,-v} x`.
  const words = rest.filter((word) => word.kind !== "braces" || word.value !== "");
  // As a script, the path of somebody's home may be a command: `sed ~/p` is `e` and more for /home/eve.
  const chosen = program.value === "sed" ? /^(glob|home)$/ : /^glob$/;
  const known = words.every(
    (word, at) => isKnown(word) && (!chosen.test(word.kind) || takesAnyName(program.value, words, at)),
  );
  return known && PROGRAMS[program.value]!(words.map(asGiven));
}

function writesNothing({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "write" || (target.kind === "literal" && target.value === "/dev/null");
}

function readsKnown({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "read" || target.kind === "literal" || target.kind === "home";
}

/** A bracket that holds a slash is none to the shell, and then the pattern is another. */
function isKnown({ kind, text }: Word): boolean {
  return kind !== "unknown" && !(kind === "glob" && /\[[^\]]*\//.test(text));
}

/** As the program gets it: what begins with `~` is an absolute path by then. */
function asGiven({ kind, value }: Word): string {
  return kind !== "literal" && /^~(\/|$)/.test(value) ? `/${value}` : value;
}

/** They say how much to print, in which language, or which of a project's own settings to use; none names a file or program. */
const SAFE_NAMES =
  /^(NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RAILS_ENV|MIX_ENV|GOOS|GOARCH|CGO_ENABLED|DEBUG|LOG_LEVEL|PORT)$/;

/** May stand before a command without changing what it does to the setup. */
export function isSafeAssignment({ name, value }: SimpleCommand["assignments"][number]): boolean {
  // In an assignment a star stands for itself.
  const isText = value?.kind === "literal" || value?.kind === "glob";
  return isText && SAFE_NAMES.test(name) && isPlainValue(name, value.value);
}

/** No text that make would expand or a script could stumble over, and no path where a file would be looked up by it. */
function isPlainValue(name: string, value: string): boolean {
  if (!/^[\w.,:=@+*/-]*$/.test(value)) return false;
  if (name === "TZ") return !/^[:/.]|\.\./.test(value);
  return !/^(LANG|LC_|TERM)/.test(name) || !value.includes("/");
}

/** `x=1` alone, and the variable of a loop. Names in capitals may mean something to a program or to the shell. */
function isPlainVariable({ name, value }: SimpleCommand["assignments"][number]): boolean {
  return (
    /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith("_proxy") && (value === undefined || value.kind === "literal")
  );
}
