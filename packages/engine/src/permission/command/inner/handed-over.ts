// What a command hands to its program as a command or as code: `tar --to-command='rm x'`, `perl -e 'system("rm x")'`,
// `docker exec web rm x`. Deny and ask rules are compared with it too. Which options do this comes from the tables that
// limit allow rules. What may run programs but cannot be read makes a rule apply perhaps.

import { basename } from "node:path/posix";
import { analyseCommand, type SimpleCommand } from "../analysis/command.ts";
import { everyCommand } from "../files/command-files.ts";
import { reachOf, type Reach } from "../rules/match-command.ts";
import { simpleCommand } from "../analysis/simple-command.ts";
import { codeInVariable } from "../analysis/variables.ts";
import { literal, type Word } from "../analysis/word.ts";
import { anyProgram } from "../../options/any-program.ts";
import { firstUncovered } from "../../options/read-options.ts";
import { optionsOf } from "../../options/table.ts";
import type { ProgramOptionTable } from "../../options/program-options.ts";

/** Compares a rule's text with everything the command hands over; undefined if it hands over nothing. */
export function handedReach(command: SimpleCommand): ((content: string) => Reach) | undefined {
  const [program, ...words] = command.words;
  if (program?.kind !== "literal") return undefined;
  const name = programName(program.value);
  const started = [...startedIn(name, words), ...placedElsewhere(name, words)];
  const given = [
    ...setIn(name, words),
    ...linesIn(name, words),
    ...optionTexts(command),
    ...codeIn(name, command),
    ...fed(name, command),
  ];
  if (started.length + given.length === 0) return undefined;
  const tails = given.flatMap(({ text }) => tailsOf(text)).map((words) => simpleCommand({ words }, { within: [] }));
  const isOpaque = tails.length > MOST_TAILS || given.some((each) => each.isOpaque);
  const readers = [...started, ...tails.slice(0, MOST_TAILS)].map(reachOf);
  return (content) => {
    const found = readers.map((reach) => reach(content));
    if (found.includes("yes")) return "yes";
    return isOpaque || found.includes("maybe") ? "maybe" : "no";
  };
}

const MOST_TAILS = 200;
const MOST_OPTIONS = 30;

/** Starts something, and it is not known what. */
const UNREAD = simpleCommand({ opaque: true, words: [literal("")] }, { within: [] });

interface Handed {
  readonly text: string;
  /** It may run a program that the text does not show. */
  readonly isOpaque: boolean;
}

/** More letters in one word than anyone needs. */
const MOST_LETTERS = 12;

function handed({ kind, value }: Word): Handed[] {
  // In `-Orm` and `-n5Orm`, the value starts after one of the letters.
  const letters = /^-([A-Za-z0-9]*)/.exec(value)?.[1]?.length ?? 0;
  const isOpaque = kind === "unknown" || letters > MOST_LETTERS;
  const glued = Array.from({ length: Math.min(letters, MOST_LETTERS) }, (_, at) => value.slice(at + 2));
  return [value, ...glued].map((text) => ({ text, isOpaque }));
}

/** Programs that run lines of their input. */
const INTERACTIVE = new Set("at batch crontab ed ex ftp gdb lftp make mysql psql sftp sqlite3 vi vim".split(" "));

function fed(name: string, { redirections, input }: SimpleCommand): Handed[] {
  if (!INTERACTIVE.has(name)) return [];
  return [...textsIn(redirections), ...(input ?? [])].flatMap(handed);
}

/**
 * Programs that start one of their words as a program: after which word, and how many operands come before it. Options
 * may take a value, so more than one word may be it.
 */
const STARTERS: Readonly<Record<string, { readonly after?: RegExp; readonly operands?: number }>> = {
  adb: { after: /^shell$/ },
  alacritty: { after: /^(-e|--command)$/ },
  buildah: { after: /^run$/, operands: 1 },
  bun: { after: /^(x|exec)$/ },
  bunx: {},
  catchsegv: {},
  cgexec: {},
  cmake: { after: /^-E$/ },
  "dbus-launch": {},
  distrobox: { after: /^enter$/, operands: 1 },
  docker: { after: /^(exec|run)$/, operands: 1 },
  "docker-compose": { after: /^(exec|run)$/, operands: 1 },
  foreman: { after: /^run$/ },
  gdb: { after: /^--args$/ },
  "gnome-terminal": { after: /^--$/ },
  heroku: { after: /^run$/ },
  incus: { after: /^exec$/, operands: 1 },
  just: { after: /^--command$/ },
  kitty: {},
  kubectl: { after: /^(exec|run|debug)$/, operands: 1 },
  // The dynamic linker.
  ld: {},
  lerna: { after: /^exec$/ },
  lxc: { after: /^exec$/, operands: 1 },
  mosh: { operands: 1 },
  nerdctl: { after: /^(exec|run)$/, operands: 1 },
  nix: { after: /^(run|shell|develop)$/ },
  npx: {},
  nx: { after: /^exec$/ },
  oc: { after: /^(exec|run|rsh)$/, operands: 1 },
  pdsh: {},
  pipx: { after: /^run$/ },
  pnpx: {},
  podman: { after: /^(exec|run)$/, operands: 1 },
  toolbox: { after: /^run$/ },
  uvx: {},
  watchexec: {},
  wsl: {},
  xterm: { after: /^-e$/ },
  yarn: { after: /^dlx$/ },
  zellij: { after: /^run$/ },
};

function startedIn(name: string, words: readonly Word[]): SimpleCommand[] {
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name]! : undefined;
  if (starter === undefined) return [];
  // More words than anyone needs before a program; a tail of all of them takes long to read.
  if (words.filter(({ value }) => value.startsWith("-")).length > MOST_OPTIONS) return [UNREAD];
  const { after, operands = 0 } = starter;
  const begin = after === undefined ? 0 : words.findIndex(({ value }) => after.test(value)) + 1;
  if (after !== undefined && begin === 0) return [];
  const found: SimpleCommand[] = [];
  let left = operands;
  for (let at = begin; at < words.length; at++) {
    if (words[at]!.value.startsWith("-")) continue;
    const isValue = at > begin && /^-[^=]*$/.test(words[at - 1]!.value) && words[at - 1]!.value !== "--";
    found.push(...commandAt(words.slice(at)));
    if (!isValue && left-- === 0) break;
  }
  return found;
}

/** A program under another name: `ln -s /usr/bin/curl x; ./x`. */
function placedElsewhere(name: string, words: readonly Word[]): SimpleCommand[] {
  if (!/^(cp|install|ln|mv)$/.test(name)) return [];
  const programs = words.filter(({ kind, value }) => kind !== "unknown" && /\/s?bin\/[^/]+$/.test(value));
  return programs.map((word) => simpleCommand({ words: [word] }, { within: [] }));
}

function commandAt(words: readonly Word[]): SimpleCommand[] {
  if (words.some(({ kind }) => kind === "unknown")) return [simpleCommand({ words }, { within: [] })];
  const text = words.map(({ value }) => `'${value.replaceAll("'", `'\\''`)}'`).join(" ");
  return everyCommand(analyseCommand(text).commands);
}

/** `export PAGER='rm x'`. */
function setIn(name: string, words: readonly Word[]): Handed[] {
  if (!/^(declare|export|local|readonly|typeset)$/.test(name)) return [];
  return words.flatMap(({ value }) => {
    const [variable, text] = /^(\w+)\+?=([^]*)$/.exec(value)?.slice(1) ?? [];
    const code = variable === undefined ? undefined : codeInVariable({ name: variable, value: literal(text!) });
    return code === undefined ? [] : [{ text: code, isOpaque: false }];
  });
}

/** Programs that run lines of text they are given as words, and the word after which they come. */
const LINES: Readonly<Record<string, RegExp>> = {
  ansible: /^(-a|--args)$/,
  cargo: /^watch$/,
  cmd: /^\/[ck]/i,
  concurrently: /^/,
  elvish: /^-[a-z]*c/,
  expect: /^-c$/,
  flatpak: /^--command/,
  fly: /^(-C|--command)/,
  flyctl: /^(-C|--command)/,
  fzf: /^--(preview|bind|execute)/,
  gcloud: /^--command/,
  nodemon: /^(-x|--exec)/,
  npx: /^(-c|--call)/,
  nu: /^-[a-z]*c/,
  osh: /^-[a-z]*c/,
  osascript: /^-e$/,
  powershell: /^-/,
  pwsh: /^-/,
  rc: /^-[a-z]*c/,
  salt: /^cmd\./,
  screen: /^-/,
  tmux: /^[a-z]/,
  vagrant: /^(-c|--command)/,
  xonsh: /^-[a-z]*c/,
};

function linesIn(name: string, words: readonly Word[]): Handed[] {
  const marker = Object.hasOwn(LINES, name) ? LINES[name]! : undefined;
  const at = marker === undefined ? -1 : words.findIndex(({ value }) => marker.test(value));
  if (at < 0) return [];
  const rest = words.slice(at);
  return [{ text: rest.map(({ value }) => value).join(" "), isOpaque: false }, ...rest.flatMap(handed)];
}

/** The values of options that make the program run another one or load code. */
function optionTexts({ words }: SimpleCommand): Handed[] {
  const options = optionsOf(words[0]!.value) ?? anyProgram;
  const isAwk = programName(words[0]!.value) === "awk";
  const found: Handed[] = [];
  for (let agreed = 1; agreed < words.length;) {
    const at = uncoveredAt(options, words, agreed);
    if (at === undefined) break;
    if (found.length > MOST_OPTIONS) return [...found, { text: "", isOpaque: true }];
    const word = words[at]!;
    // The value is part of the word, or comes next. A subcommand, and letters without a dash, may use any word after it.
    const isCode = !/^[-+]/.test(word.value) && /[\s"'(){}]/.test(word.value);
    const values = /^\w[\w-]*$/.test(word.value) ? words.slice(at) : words.slice(at, at + (isCode ? 1 : 2));
    found.push(
      ...values.flatMap(handed).map((each) => (isAwk && PIPES.test(each.text) ? { ...each, isOpaque: true } : each)),
    );
    agreed = at + 1;
  }
  return found;
}

/** What awk runs may be put together from several texts. */
const PIPES = /system|getline|\|/;

function uncoveredAt(options: ProgramOptionTable, words: readonly Word[], agreed: number): number | undefined {
  const call = { words, start: 1, agreed, fed: false, isSettled: true, isInside: () => true };
  const found = firstUncovered(options, call);
  const at = found?.why === "option" ? words.indexOf(found.word) : -1;
  return at < agreed ? undefined : at;
}

/** Interpreters, and the options that give them code. */
const CODE: Readonly<Record<string, RegExp>> = {
  bun: /^(-[a-zA-Z]*[ep]|--(eval|print))(=|$)/,
  clojure: /^-e$/,
  deno: /^eval$/,
  elixir: /^(-e|--eval|--rpc-eval)$/,
  emacsclient: /^(-e|--eval)/,
  emacs: /^--?(eval|execute)(=|$)/,
  erl: /^-eval$/,
  gdb: /^--?(ex|eval-command|iex|init-eval-command)(=|$)/,
  ghc: /^-e$/,
  ghci: /^-e$/,
  groovy: /^-e$/,
  guile: /^-c$/,
  janet: /^-e$/,
  jshell: /^(?!)/,
  julia: /^(-[eE]|--(eval|print))(=|$)/,
  lftp: /^-[ec]$/,
  lua: /^-[a-z]*e/,
  node: /^(-[a-zA-Z]*[ep]|--(eval|print))(=|$)/,
  ocaml: /^-e$/,
  perl: /^-[a-zA-Z0-9]*[eE]/,
  php: /^(-[rBRE]|--(run|process-\w+))/,
  python: /^-[a-zA-Z]*c/,
  r: /^-e$/,
  racket: /^-[a-z]*e$/,
  rscript: /^-e$/,
  ruby: /^-[a-zA-Z]*e/,
  scala: /^-e$/,
  tclsh: /^(?!)/,
};

/** Words with which code in some language runs a program, or reaches what does. */
const RUNS =
  /\b(?:system\w*|exec\w*|eval\w*|\w*spawn\w*|\w*popen\w*|subprocess|child_process|fork\w*|pty|ctypes|runpy|importlib|getattr|globals|builtins|compile|qx|syscall|Open3|pexpect|sh|shell\w*|[Cc]ommand|[Cc]md|Process\w*|proc_open|passthru|dlopen|binding|mainModule|getBuiltinModule|createRequire|constructor|Function|worker_threads|cluster|getline)\b|__\w+|%x\b|\bimport\s*\(|\brequire\s*\((?!\s*["'][^"']*["']\s*\))|os:cmd|\$`|["']\s*\||\|\s*["']|!/;

/** Options that are words themselves, unlike `-esystem`. */
const NAMED = /^(--?)?(eval|execute|ex|iex|print|run|rpc-eval|eval-command|init-eval-command)$/;

/** In these, a backtick only quotes text. */
const TEMPLATES = /^(bun|deno|node)$/;

function textsIn(redirections: SimpleCommand["redirections"]): Word[] {
  return redirections.flatMap(({ kind, target }) => (kind === "text" ? [target] : []));
}

function codeIn(name: string, { words, redirections, input: piped = [] }: SimpleCommand): Handed[] {
  const marker = Object.hasOwn(CODE, name) ? CODE[name]! : undefined;
  if (marker === undefined) return [];
  // Without code in its words, it reads a script or its input.
  const scripted = words.some(({ value }, index) => index > 0 && !value.startsWith("-"));
  const input = scripted ? [] : [...textsIn(redirections), ...piped];
  const own = words.flatMap((word, at) => {
    if (at === 0 || !marker.test(word.value)) return [];
    const next = words.slice(at + 1, at + 2);
    return NAMED.test(word.value) ? next : [word, ...next];
  });
  const code = own.length > 0 ? own : input;
  const texts = code.filter((word) => word.kind === "unknown" || runsPrograms(name, word.value));
  return texts.map(({ value }) => ({ text: value, isOpaque: true }));
}

function runsPrograms(name: string, code: string): boolean {
  return RUNS.test(code) || (code.includes("`") && !TEMPLATES.test(name));
}

const SAME: Readonly<Record<string, string>> = {
  gawk: "awk",
  luajit: "lua",
  mawk: "awk",
  nawk: "awk",
  nodejs: "node",
  pypy: "python",
  tsx: "node",
};

function programName(path: string): string {
  if (/^ld(-linux|-musl|\.so|64\.so)/.test(basename(path))) return "ld";
  const name = basename(path)
    .toLowerCase()
    .replace(/\.exe$/, "")
    .replace(/[-.\d]+$/, "");
  return SAME[name] ?? name;
}

/** Everything in the text that may be a program, with the words behind it. */
function tailsOf(text: string): Word[][] {
  const words = text.split(/[^\w.+-]+/).filter(Boolean);
  // A rule has few words, so a few are enough.
  return words.slice(0, MOST_TAILS + 1).map((_, at) => words.slice(at, at + 12).map(literal));
}
