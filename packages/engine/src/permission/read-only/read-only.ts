// Whether a command is read-only. `read-only-table.ts` lists the programs and their options. Where a program reads is
// not decided here; see `command-files.ts`.

import type { CommandAnalysis, SimpleCommand } from "../command/analysis/command.ts";
import { takesAnyName } from "./read-only-names.ts";
import { PROGRAMS } from "./read-only-table.ts";
import { onlyPrints } from "../command/inner/printed.ts";
import type { Word } from "../command/analysis/word.ts";
import { openCode } from "../options/code-words.ts";

export { isSafeSedScript } from "./read-only-sed.ts";

/** Longer commands always need approval, as in the reference. */
const LONGEST = 10_000;

/** Every part is in the table, is not nested in another construct, and writes nothing. */
export function isReadOnly(analysis: CommandAnalysis): boolean {
  if (analysis.problem !== undefined || analysis.commands.length === 0 || analysis.command.length > LONGEST)
    return false;
  if (!analysis.commands.every(looksOnly)) return false;
  // After a `cd` into a folder with its own git configuration, git runs what that configuration says.
  const programs = analysis.commands.map((command) => command.words[0]?.value);
  return !(programs.includes("cd") && programs.includes("git"));
}

/** One part on its own. */
function looksOnly(command: SimpleCommand): boolean {
  return command.redirections.every(writesNothing) && looksOnlyButRedirects(command);
}

/** The same, ignoring where its output goes. */
export function looksOnlyButRedirects(command: SimpleCommand): boolean {
  if (command.within.some((enclosure) => enclosure !== "printed") || command.opaque || command.runs.length > 0)
    return false;
  if (openCode(command, "look")) return false;
  const [program, ...rest] = command.words;
  if (!command.redirections.every(readsKnown)) return false;
  if (program === undefined) return command.assignments.every(isPlainVariable);
  if (!command.assignments.every(isSafeAssignment) || program.kind !== "literal") return false;
  if (!Object.hasOwn(PROGRAMS, program.value)) return false;
  // The shell drops words that braces leave empty: `printf {,-v} x`.
  const words = rest.filter((word) => word.kind !== "braces" || word.value !== "");
  const known = words.every(
    (word, at) =>
      (isKnown(word) && (word.kind !== "glob" || takesAnyName(program.value, words, at))) ||
      (word.shown === true && mayShow(program.value, words, at)),
  );
  return known && PROGRAMS[program.value]!(words.map(asGiven));
}

/** Programs that only print what they are given, if that. */
function mayShow(program: string, words: readonly Word[], at: number): boolean {
  return onlyPrints(program) && (program !== "printf" || takesAnyName(program, words, at));
}

function writesNothing({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "write" || (target.kind === "literal" && target.value === "/dev/null");
}

function readsKnown({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "read" || target.kind === "literal" || target.kind === "home";
}

/** The shell does not treat a bracket that contains a slash as a bracket, so the pattern is a different one. */
function isKnown({ kind, text }: Word): boolean {
  return kind !== "unknown" && !(kind === "glob" && /\[[^\]]*\//.test(text));
}

/** As the program gets it: a word that starts with `~` is then an absolute path. */
function asGiven({ kind, value }: Word): string {
  return kind !== "literal" && /^~(\/|$)/.test(value) ? `/${value}` : value;
}

/** They set verbosity, language, or which of a project's own settings to use; none names a file or program. */
const SAFE_NAMES =
  /^(NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RAILS_ENV|MIX_ENV|GOOS|GOARCH|CGO_ENABLED|DEBUG|LOG_LEVEL|PORT)$/;

/** May come before a command without changing what it does to the system. */
export function isSafeAssignment({ name, value }: SimpleCommand["assignments"][number]): boolean {
  // In an assignment, a star is literal.
  const isText = value?.kind === "literal" || value?.kind === "glob";
  return isText && SAFE_NAMES.test(name) && isPlainValue(name, value.value);
}

/** No text that make would expand or a script could trip over, and no path where a file would be looked up. */
function isPlainValue(name: string, value: string): boolean {
  if (!/^[\w.,:=@+*/-]*$/.test(value)) return false;
  if (name === "TZ") return !/^[:/.]|\.\./.test(value);
  // Rails loads config/environments/$RAILS_ENV.rb; the language and the terminal name files too.
  return !/^(LANG|LC_|TERM)|_ENV$/.test(name) || !/[/]|^\./.test(value);
}

/** `x=1` alone, or a loop variable. Upper-case names may mean something to a program or the shell. */
function isPlainVariable({ name, value }: SimpleCommand["assignments"][number]): boolean {
  return (
    /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith("_proxy") && (value === undefined || value.kind === "literal")
  );
}
