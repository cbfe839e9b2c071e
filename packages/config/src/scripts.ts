// Which script files a command line of the user's own runs, as far as its text tells. It is read roughly: a script that
// is missed is merely not guarded, and nothing is decided by what is found here but that.

import { isAbsolute, join, resolve } from "node:path";

export interface ScriptPlaces {
  /** Where hooks start, and what CLAUDE_PROJECT_DIR says. */
  readonly cwd: string;
  readonly home: string;
}

/** Programs that run the first file they are given. */
const INTERPRETERS =
  /^(?:ba|da|z|k|fi)?sh$|^(?:python|pypy|ruby|perl|php|lua|node|deno|bun|tsx|ts-node|npx|bunx|uv|uvx|pwsh|powershell|source|\.|exec|env|nohup|time|timeout|nice)[\d.]*$/;
const SCRIPT = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|ps1|[cm]?[jt]sx?)$/;
/** Programs of the system are not ours to guard, and installed packages are replaced by everyday commands. */
const NOT_GUARDED = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap)\/|\/(?:node_modules|\.venv|venv|site-packages)\//;

/** Absolute paths. A string is what a shell reads; a list is a program and its arguments. */
export function scriptsIn(command: string | readonly string[], places: ScriptPlaces): readonly string[] {
  const parts = typeof command === "string" ? simpleCommands(command) : [command];
  const found = parts.flatMap((words) => scriptOf(words, places));
  return [...new Set(found)].filter((path) => !NOT_GUARDED.test(path));
}

function scriptOf(words: readonly string[], places: ScriptPlaces): readonly string[] {
  for (const [at, word] of words.entries()) {
    if (/^\w+=/.test(word) || word.startsWith("-") || INTERPRETERS.test(word.slice(word.lastIndexOf("/") + 1)))
      continue;
    // `bash -c 'a/b.sh x'`
    if (/^-\w*c$/.test(words[at - 1] ?? "")) return scriptsIn(word, places);
    const path = absolute(word, places);
    if (path !== undefined && (word.includes("/") || SCRIPT.test(word))) return [path];
    // `uv run x.py`, `npx tsx x.ts`: only one of ours comes before a script.
    if (word !== "run" && !INTERPRETERS.test(words[0] ?? "")) return [];
  }
  return [];
}

function absolute(word: string, { cwd, home }: ScriptPlaces): string | undefined {
  const path = word
    .replace(/^\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/, cwd)
    .replace(/^(?:\$(?:HOME\b|\{HOME\})|~(?=\/))/, home);
  if (/[$`*?[\]{}<>]|:\/\//.test(path)) return undefined;
  return isAbsolute(path) ? join(path) : resolve(cwd, path);
}

/** The words of each simple command, without quotes; redirections are left out. */
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
