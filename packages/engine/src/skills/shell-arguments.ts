// Puts arguments into an inline command as data: each is quoted for the place where it stands, and the result must start
// the same programs as the command did without it. If that is not certain, the command does not run.

import type { Skill } from "@keelson/protocol";
import { analyseCommand, type CommandAnalysis } from "../permission/command/analysis/command.ts";
import type { Word } from "../permission/command/analysis/word.ts";
import { uncoveredWord } from "../permission/options/options.ts";
import { MOST_FILLED, placeholdersIn, type Placeholder, type SkillArguments } from "./arguments.ts";

export type FilledCommand =
  | { readonly command: string }
  /** A sentence for the user. */
  | { readonly refused: string };

/** Stands for an argument when the command is read without it. */
const STAND_IN = "KeelsonArgument";

export function fillCommand(written: string, args: SkillArguments, shell: Skill["shell"] = "bash"): FilledCommand {
  const command = withFolders(written, args.variables);
  const placeholders = placeholdersIn(command, args);
  if (placeholders.length === 0) return { command: unescaped(command) };
  // Its ways to quote are not those that are known here.
  if (shell === "powershell") return { refused: `arguments cannot be used in a PowerShell command, "${command}"` };
  if (placeholders.length * args.raw.length > MOST_FILLED) return { refused: "the arguments are too long" };
  const places = quotingAt(command, placeholders);
  if (places === undefined) return { refused: `arguments cannot be used safely in "${command}"` };
  const filled = fill(command, placeholders, (each, at) => quoted(each, places[at]!));
  const without = fill(command, placeholders, () => STAND_IN);
  if (!startsTheSame(analyseCommand(without), analyseCommand(filled)))
    return { refused: `an argument would become part of what "${command}" runs` };
  return { command: filled };
}

/** Needs no quotes. */
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Puts in the values of `${CLAUDE_SKILL_DIR}` and the like, quoted for their place: a folder may have any name. Where
 * quotes would not protect one, it is left to the shell, which does not know the variable.
 */
function withFolders(command: string, variables: SkillArguments["variables"]): string {
  const found = [...command.matchAll(/\$\{(CLAUDE_\w+)\}/g)].flatMap(({ 0: whole, 1: name = "", index: start }) => {
    const value = variables[name];
    return value === undefined ? [] : [{ start, end: start + whole.length, words: [value], plain: value }];
  });
  const places = found.every(({ plain }) => PLAIN_PATH.test(plain)) ? [] : quotingAt(command, found);
  let filled = "";
  let from = 0;
  for (const [at, each] of found.entries()) {
    const place = places?.[at];
    const isQuotable = place !== undefined && !/[$\\`]/.test(each.plain);
    const value = PLAIN_PATH.test(each.plain) ? each.plain : isQuotable ? quoted(each, place) : undefined;
    filled += command.slice(from, each.start) + (value ?? command.slice(each.start, each.end));
    from = each.end;
  }
  return filled + command.slice(from);
}

const unescaped = (command: string) => command.replace(/\\\$(?=\d|ARGUMENTS)/g, "$");

function fill(
  command: string,
  placeholders: readonly Placeholder[],
  text: (each: Placeholder, at: number) => string,
): string {
  let filled = "";
  let from = 0;
  for (const [at, each] of placeholders.entries()) {
    filled += unescaped(command.slice(from, each.start)) + text(each, at);
    from = each.end;
  }
  return filled + unescaped(command.slice(from));
}

type Quoting = "plain" | "single" | "double";

function quoted({ words, plain }: Placeholder, place: Quoting): string {
  if (place === "single") return plain.replaceAll("'", `'\\''`);
  if (place === "double") return plain.replace(/["\\$`]/g, "\\$&");
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

/** How each placeholder is quoted. Undefined where a quote would not protect it, or we cannot tell. */
function quotingAt(command: string, placeholders: readonly Placeholder[]): readonly Quoting[] | undefined {
  const found: Quoting[] = [];
  const open: ("double" | "substitution")[] = [];
  let single = false;
  let atWordStart = true;
  for (let at = 0; at < command.length; at++) {
    const next = placeholders[found.length];
    const inDouble = open.at(-1) === "double";
    if (next?.start === at) {
      found.push(single ? "single" : inDouble ? "double" : "plain");
      at = next.end - 1;
      atWordStart = false;
      continue;
    }
    const sign = command[at]!;
    if (single) {
      if (sign === "'") single = false;
      continue;
    }
    if (sign === "\\") at++;
    else if (sign === "`" || command.startsWith("${", at) || command.startsWith("$'", at)) return undefined;
    else if (command.startsWith("<<", at) && !inDouble) return undefined;
    else if (sign === "#" && atWordStart && !inDouble) return undefined;
    else if (command.startsWith("$(", at)) {
      open.push("substitution");
      at++;
    } else if (sign === '"') {
      if (inDouble) open.pop();
      else open.push("double");
    } else if (!inDouble) {
      if (sign === "'") single = true;
      else if (sign === ")" && open.length > 0) open.pop();
      else if (sign === "(") open.push("substitution");
    }
    atWordStart = /[\s;&|()]/.test(sign);
  }
  return found.length === placeholders.length && !single && open.length === 0 ? found : undefined;
}

type Commands = CommandAnalysis["commands"];

/** Whether both run the same programs, and no argument is a program, code, or an option that runs or loads something. */
function startsTheSame(without: CommandAnalysis, filled: CommandAnalysis): boolean {
  if (without.problem !== undefined || filled.problem !== undefined) return false;
  if (isCode(without.commands) || programsOf(without.commands) !== programsOf(filled.commands)) return false;
  return !addsOption(without.commands, filled.commands);
}

/** Files are left to the gate, which knows where they are. */
const SETTING = { isInside: () => true, fed: false, isSettled: true };

/**
 * An allow rule for the command up to its first argument would not cover the rest. An option right before the argument
 * belongs to the rest: `git -c $0`. Both run the same programs.
 */
function addsOption(without: Commands, filled: Commands): boolean {
  return filled.some((command, at) => {
    const other = without[at]!;
    if (addsOption(other.runs, command.runs)) return true;
    if (command.text === other.text || command.words.length === 0) return false;
    const start = commonStart(command.text, other.text).replace(/\s-\S*\s*$/, "");
    return uncoveredWord(command, start, SETTING) !== undefined;
  });
}

/** Without an opening quote at the end. */
function commonStart(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end++;
  return a.slice(0, end).replace(/["']$/, "");
}

function isCode(commands: Commands): boolean {
  return commands.some(({ words, runs, assignments, opaque, code }) => {
    const holds = (text: string | undefined) => text?.includes(STAND_IN) === true;
    if (holds(words[0]?.value) || assignments.some(({ value }) => holds(value?.value))) return true;
    const whole = opaque || code === true;
    return (whole ? words : scriptOf(words)).some(({ value }) => holds(value)) || isCode(runs);
  });
}

const INTERPRETER =
  /^(?:ba|da|k|z|fi)?sh$|^(?:source|\.|npx|pnpx|bunx|uvx)$|^(?:python|pypy|node|bun|deno|perl|ruby|php|lua|luajit|tclsh|wish|Rscript|osascript|groovy|scala|elixir|swift|pwsh|powershell|[gmn]?awk|g?sed|jq|yq|ed|ex|vi|vim|gdb|make|gmake)[\d.]*$/;

/** These run what they are given. */
const RUNNER = /^(?:(?:bun|deno|go|pipx|uv) run|(?:bun|npm) x|(?:npm|pnpm|yarn) (?:exec|dlx))$/;

/** The words that an interpreter takes for its script: up to the first one that is no option, and those after `-c`. */
function scriptOf(words: readonly Word[]): readonly Word[] {
  const [program, ...given] = words;
  const name = program?.value.split("/").at(-1) ?? "";
  const isRunner = RUNNER.test(`${name} ${given[0]?.value}`);
  if (!isRunner && !INTERPRETER.test(name)) return [];
  const rest = isRunner ? given.slice(1) : given;
  const first = rest.findIndex(({ value }) => !/^[-+]/.test(value));
  return rest.filter((_, at) => first < 0 || at <= first || CODE_OPTION.test(rest[at - 1]!.value));
}

const CODE_OPTION = /^-(?:-?(?:eval|exec|execute|print|expression|command|require|import|file)|[A-Za-z]*[cepErfm])$/;

function programsOf(commands: Commands): string {
  return JSON.stringify(commands, (key, value: unknown) => {
    if (key === "words") return (value as Commands[number]["words"])[0]?.text ?? "";
    return key === "" || key === "runs" || key === "words" || /^\d+$/.test(key) ? value : undefined;
  });
}
