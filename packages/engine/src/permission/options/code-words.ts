// Words that a program runs as code: a sed script, an awk program, what follows `python -c`. Such a word must be exactly what
// is written. If file names complete it (`s,a*,b,`), or names that xargs reads, someone else wrote a part of the code. One
// reading for every way to run unasked.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../command/analysis/simple-command.ts";
import type { Word } from "../command/analysis/word.ts";

interface CodeTaker {
  /** How many of the first operands are code, unless an option has given some, or names a file with it (`-f x.sed`). */
  readonly first?: number;
  /** Operands from this one on are code or set what runs: a command line, `CC=x`. */
  readonly from?: number;
  /** Letters of options whose value is code, and long names, which may be abbreviated. */
  readonly letters?: string;
  readonly long?: string;
  /** Letters and long names of options with another value. */
  readonly valued?: string;
  readonly takes?: string;
  /** These words come before the operands that count. */
  readonly before?: RegExp;
  /** It matters only for these ways. If absent, for all. */
  readonly ways?: readonly Way[];
}

/**
 * How a command would run unasked. look: because it is read-only or edits files. rule: because a rule covers its text.
 * trust: because all commands are allowed, a hook says so or the sandbox holds it.
 */
type Way = "look" | "rule" | "trust";

const sed: CodeTaker = { first: 1, letters: "e", long: "expression", valued: "fl", takes: "file line-length" };
const awk: CodeTaker = {
  first: 1,
  letters: "e",
  long: "source",
  valued: "FvfilE",
  takes: "assign field-separator file include load exec",
};
/** It runs and writes nothing. */
const jq: CodeTaker = { first: 1, valued: "Lf", takes: "indent from-file library-path", ways: ["look"] };
/** What they are given is not only code. */
const BY_RULE: readonly Way[] = ["look", "rule"];
const shell: CodeTaker = { letters: "c", valued: "oO", takes: "rcfile init-file" };
const javascript: CodeTaker = {
  letters: "epr",
  long: "eval print require import loader experimental-loader",
  valued: "C",
};
const sql: CodeTaker = { letters: "ce", long: "command execute init-command", valued: "dfhpuU" };
const evaluates: CodeTaker = { letters: "eEcL", long: "eval execute expression" };

const TAKERS: Readonly<Record<string, CodeTaker>> = {
  ...named("sed gsed", sed),
  ...named("awk gawk mawk nawk original-awk goawk", awk),
  ...named("jq gojq jaq", jq),
  yq: { first: 1, long: "expression", valued: "opIs", before: /^(e|ea|eval|eval-all)$/, ways: BY_RULE },
  ...named(
    "bash ash dash fish ksh mksh rbash sh zsh su csh tcsh yash nu xonsh elvish runuser script flock expect",
    shell,
  ),
  ...named("pwsh powershell", { from: 0 }),
  ...named("node nodejs bun deno tsx ts-node", { ...javascript, before: /^(eval|run)$/ }),
  perl: { letters: "eEMm", valued: "I" },
  ...named("python pypy ipython", { letters: "cm", valued: "WX" }),
  ruby: { letters: "er", valued: "ICS" },
  php: { letters: "rBRE", long: "run process-begin process-code process-end", valued: "cdfzS" },
  lua: { letters: "el" },
  ...named(
    "clojure clj dc elixir emacs erl guile raku sbcl ghc ghci gnuplot groovy julia kotlin octave osascript R Rscript racket scala swift",
    evaluates,
  ),
  ...named("psql mysql mariadb mongosh", sql),
  ...named("sqlite3 duckdb", { ...sql, from: 1 }),
  ...named("vim vi ex view gvim nvim", { letters: "cS", long: "cmd" }),
  ...named("make gmake bmake", { from: 0, valued: "CfIjlo", takes: "directory file makefile", ways: BY_RULE }),
  env: { first: 1, letters: "S", long: "split-string", valued: "Cu", takes: "chdir unset", ways: BY_RULE },
  ssh: { from: 1, letters: "oF", valued: "bcDEeIiJLlmOpQRSWw", ways: BY_RULE },
  watch: { from: 0, valued: "n", takes: "interval", ways: BY_RULE },
  // It reads names as code once more: a file may be called `;x`.
  eval: { from: 0 },
  trap: { first: 1 },
};

/** Why the code is open, for the sentence that says so. */
export interface OpenCode {
  readonly word: Word;
  /** names: the shell puts file names in it. added: another program does. */
  readonly by: "names" | "added";
}

/** The first word that the command, or what it starts, would run as code although it is not all written there. */
export function openCode(command: SimpleCommand, way: Way): OpenCode | undefined {
  const open = openCodes(command, way);
  return open.find(({ by }) => by === "names") ?? open[0];
}

function openCodes(command: SimpleCommand, way: Way): readonly OpenCode[] {
  const named = [command.words, ...templates(command).map(({ words }) => words)].flatMap((words) => {
    const word = openWord(words, way, (each) => isOpenText(each, way));
    return word ? [{ word, by: "names" as const }] : [];
  });
  const added = templates(command).flatMap(({ words, isOpen, adds }) => {
    const word = openWord(words, way, isOpen) ?? (adds && readCode(words, way)?.wantsMore ? words[0] : undefined);
    return word ? [{ word, by: "added" as const }] : [];
  });
  return [...named, ...added, ...command.runs.flatMap((inner) => openCodes(inner, way))];
}

/** If all commands are allowed, what a variable holds is theirs too; file names are not. */
export const isOpenText = (word: Word, way: Way) =>
  way === "trust" ? word.kind === "glob" || hasPattern(word) : !isSettledText(word);

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$\{[^}]*\}/gs;

/** Beside a variable: `s,"$a"*,b,`. */
const hasPattern = ({ kind, text }: Word) => kind === "unknown" && /[*?[]/.test(text.replaceAll(QUOTED, ""));

/** Exactly what is written: no pattern, variable, tilde or braces. */
export function isSettledText({ kind, numbers }: Word): boolean {
  return kind === "literal" && numbers !== true;
}

function openWord(words: readonly Word[], way: Way, isOpen: (word: Word) => boolean): Word | undefined {
  return readCode(words, way)?.code.find(isOpen);
}

function takerOf([program]: readonly Word[], way: Way): CodeTaker | undefined {
  const name = basename(program?.value ?? "").replace(
    /^(python|pypy|ipython|pip|node|ruby|perl|php|lua|bash|ksh)[-.\d]+$/,
    "$1",
  );
  const taker = Object.hasOwn(TAKERS, name) ? TAKERS[name]! : undefined;
  return taker?.ways?.includes(way) === false ? undefined : taker;
}

interface ReadCode {
  /** Its code, and words that may become an option for code. */
  readonly code: readonly Word[];
  /** A word that is added at the end would be code. */
  readonly wantsMore: boolean;
}

/** Undefined for a program that takes no code. */
function readCode(words: readonly Word[], way: Way): ReadCode | undefined {
  const taker = takerOf(words, way);
  if (taker === undefined) return undefined;
  const { first = 0, from = Infinity, before } = taker;
  const code: Word[] = [];
  let isGiven = false;
  let isNext = false;
  let operands = 0;
  let ended = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    const { value } = word;
    if (!ended && value === "--") ended = true;
    else if (!ended && /^[-+]./.test(value)) {
      const { has, takes, isFile } = readOption(value, taker);
      // A name that becomes an option, such as `-e*`, may bring its code along.
      if (has || !isSettledText(word)) code.push(word);
      if (has || isFile) isGiven = true;
      // `bash -c -e 'x'`: its code is the first operand.
      if (takes && has && (taker === shell || at + 1 === words.length)) isNext = true;
      else if (takes && at + 1 < words.length) {
        at++;
        if (has) code.push(words[at]!);
      }
    } else if (operands === 0 && before?.test(value)) continue;
    else {
      if (isNext || (!isGiven && operands < first) || operands >= from) code.push(word);
      // On macOS, the word after `-i` is a suffix, usually empty, and the script comes next.
      else if (taker === sed && operands === 1 && code[0]?.value === "") code.push(word);
      isNext = false;
      operands++;
    }
  }
  return { code, wantsMore: isNext || from < Infinity || (!isGiven && operands < first) };
}

interface CodeOption {
  /** Its value is code. */
  readonly has?: boolean;
  /** Its value is a file with the code. */
  readonly isFile?: boolean;
  /** The value is the next word. */
  readonly takes?: boolean;
}

function readOption(value: string, { first, letters = "", long = "", valued = "", takes = "" }: CodeTaker): CodeOption {
  if (value.startsWith("+")) return { has: true };
  if (value.startsWith("--")) {
    const name = value.slice(2).split("=")[0]!;
    const isOneOf = (list: string) => name !== "" && list.split(" ").some((each) => each.startsWith(name));
    const has = isOneOf(long);
    const isFile = !has && first !== undefined && /^(file|from-file)$/.test(name);
    return { has, isFile, takes: (has || isOneOf(takes)) && !value.includes("=") };
  }
  for (let at = 1; at < value.length; at++) {
    const letter = value[at]!;
    const isLast = at === value.length - 1;
    if (letters.includes(letter)) {
      const isBundle = [...value.slice(at)].every((each) => letters.includes(each));
      return { has: true, takes: isBundle || letters === shell.letters };
    }
    if (valued.includes(letter)) return { isFile: first !== undefined && letter === "f", takes: isLast };
    // What follows `-i` is a suffix.
    if (letter === "i" && letters === sed.letters && first !== undefined) return {};
  }
  return {};
}

interface Template {
  readonly words: readonly Word[];
  /** Whether a name that was found or read is put into this word. */
  isOpen(word: Word): boolean;
  /** Names are added at the end. */
  readonly adds: boolean;
}

/** The commands that a program completes with names: after `find -exec`, `fd -x` and xargs. */
function templates({ words, runs }: SimpleCommand): readonly Template[] {
  const name = basename(words[0]?.value ?? "").replace(/^g(?=find$|xargs$)/, "");
  if (name === "xargs") {
    const starts = words.findIndex((word) => runs.some((inner) => inner.words[0] === word));
    // `sed -i`, behind xargs, is no option of xargs.
    const [mark] = words.slice(0, starts < 0 ? words.length : starts).flatMap(({ value }, at) => {
      const set = /^(?:-[a-zA-Z0-9]*[IiJ]|--r[a-z]*=?)(.*)$/s.exec(value)?.[1];
      if (set === undefined) return [];
      return set !== "" ? [set] : /[IJ]$/.test(value) ? [words[at + 1]?.value ?? "{}"] : ["{}"];
    });
    const isOpen = ({ value }: Word) => mark !== undefined && value.includes(mark);
    return runs.map((inner) => ({ words: inner.words, isOpen, adds: mark === undefined }));
  }
  const starts = STARTS[name];
  if (starts === undefined) return [];
  return words.flatMap(({ value }, at) => {
    if (at === 0 || !starts.test(value)) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex(
      (word, index) => word.value === ";" || (word.value === "+" && rest[index - 1]?.value === "{}"),
    );
    // The marks of fd: `{.}`, `{/}`, `{//}`, `{/.}`. A pattern may match `;`, and what follows it is for find again.
    const isOpen = (word: Word) =>
      /\{\/{0,2}\.?\}/.test(word.value) || (word.kind === "glob" && /^[^\w./~]/.test(word.value));
    return [{ words: end < 0 ? rest : rest.slice(0, end), isOpen, adds: name === "fd" }];
  });
}

const STARTS: Readonly<Record<string, RegExp | undefined>> = {
  find: /^-(exec|execdir|ok|okdir)$/,
  bfs: /^-(exec|execdir|ok|okdir)$/,
  fd: /^(-[a-zA-Z0]*[xX]|--exec(-batch)?)$/,
  fdfind: /^(-[a-zA-Z0]*[xX]|--exec(-batch)?)$/,
};

function named(names: string, taker: CodeTaker): Record<string, CodeTaker> {
  return Object.fromEntries(names.split(" ").map((name) => [name, taker]));
}
