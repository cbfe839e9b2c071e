// The script files that a command line from the settings runs, as far as its text shows. The result only decides which
// files to guard, so a rough match is enough.

import { isAbsolute, join, resolve } from "node:path";

export interface ScriptPlaces {
  /** Where hooks run, and the value of CLAUDE_PROJECT_DIR. */
  readonly cwd: string;
  readonly home: string;
}

/** Programs that run the first file in their arguments, and words of the shell before a command. */
const INTERPRETERS =
  /^(?:ba|da|z|k|fi)?sh$|^(?:python|pypy|ruby|perl|php|lua|node|deno|bun|tsx|ts-node|npx|bunx|uv|uvx|pwsh|powershell|source|\.|exec|env|nohup|time|timeout|nice)[\d.]*$|^(?:if|then|elif|else|while|until|do|!|\{)$/;
const SCRIPT = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|ps1|[cm]?[jt]sx?)$/;
/** System programs cannot be changed by the session, and installed packages are replaced by everyday commands. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap)\//;
const NOT_GUARDED = new RegExp(`${SYSTEM.source}|\\/(?:node_modules|\\.venv|venv|site-packages)\\/`);

type CommandLine = string | readonly string[];

/** Returns absolute paths. A string is shell code; a list is a program and its arguments. */
export function scriptsIn(command: CommandLine, places: ScriptPlaces): readonly string[] {
  const paths = pathsIn(command, places).filter(({ path, isInterpreter }) => !isInterpreter && !NOT_GUARDED.test(path));
  return [...new Set(paths.map(({ path }) => path))];
}

/** What it runs by a path that builds and package managers replace: `.venv/bin/python`, `node_modules/.bin/x`. */
export function replaceableIn(command: CommandLine, places: ScriptPlaces): readonly string[] {
  const paths = pathsIn(command, places).filter(({ path, isInterpreter }) => isInterpreter || NOT_GUARDED.test(path));
  return [...new Set(paths.map(({ path }) => path))].filter((path) => !SYSTEM.test(path));
}

interface FoundPath {
  readonly path: string;
  /** The program that runs the script. */
  readonly isInterpreter: boolean;
}

function pathsIn(command: CommandLine, places: ScriptPlaces): readonly FoundPath[] {
  const commands = typeof command === "string" ? [command] : command;
  // A path has a slash, and the name of a script a dot.
  if (!commands.some((text) => text.includes("/") || text.includes("."))) return [];
  return (typeof command === "string" ? simpleCommands(command) : [command]).flatMap((words) => pathsOf(words, places));
}

/** `uv run x.py`, `timeout 5s x.sh`: more comes before the script. */
const BEFORE_A_SCRIPT = /^(?:run|\d[\d.]*[smhd]?)$/;
/** These run programs by name more often than files, so most words behind an option of theirs are a program. */
const RUNNERS = /^(?:npx|bunx|uvx?)$/;
const WITH_A_VALUE =
  /^(?:-p|--(?:with|with-editable|python|from|package|project|directory|extra|group|only-group|env-file|index))$/;

function pathsOf(words: readonly string[], places: ScriptPlaces): readonly FoundPath[] {
  const found: FoundPath[] = [];
  let program = "";
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? "";
    const name = word.slice(word.lastIndexOf("/") + 1);
    const path = word.includes("/") || SCRIPT.test(word) ? absolute(word, places) : undefined;
    if (INTERPRETERS.test(name)) program = name;
    if (program === name && path !== undefined) found.push({ path, isInterpreter: true });
    if (/^\w+=/.test(word) || word.startsWith("-") || program === name) continue;
    // `bash -c 'a/b.sh x'`
    if (/^-\w*c$/.test(before)) return [...found, ...pathsIn(word, places)];
    if (word.includes("/") || SCRIPT.test(word))
      return path === undefined ? found : [...found, { path, isInterpreter: false }];
    // `python -m ruff check src/`, `npx eslint src/`: it is a program, and files after it are what it works on.
    if (!BEFORE_A_SCRIPT.test(word) && !isValue(before, program)) return found;
  }
  return found;
}

/** `bash -euo pipefail x.sh`, `python -W ignore x.py`: a word behind this option may belong to it. */
function isValue(option: string, program: string): boolean {
  if (RUNNERS.test(program)) return WITH_A_VALUE.test(option);
  return program !== "" && option.startsWith("-") && option !== "-m";
}

function absolute(word: string, { cwd, home }: ScriptPlaces): string | undefined {
  const path = word
    .replace(/^\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/, cwd)
    .replace(/^(?:\$(?:HOME\b|\{HOME\})|~(?=\/))/, home);
  if (/[$`*?[\]{}<>]|:\/\//.test(path)) return undefined;
  return isAbsolute(path) ? join(path) : resolve(cwd, path);
}

/** The words of each simple command, without quotes and redirections. */
function simpleCommands(text: string): readonly (readonly string[])[] {
  const words = text
    .replaceAll(/\d*>>?\s*(?:&\d|[^\s;|&]+)/g, " ")
    .matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&()"'\\])+|[;|&()\n]/g);
  const commands: string[][] = [[]];
  for (const [word] of words) {
    if (/^[;|&()\n]$/.test(word)) commands.push([]);
    else commands.at(-1)!.push(word.replaceAll(/["']|\\(?=.)/g, ""));
  }
  return commands;
}
