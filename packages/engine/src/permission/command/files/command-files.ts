// Which files a command names, as far as its text shows. Does not access the disk; the caller resolves links.

import { basename } from "node:path/posix";
import type { Redirection, SimpleCommand } from "../analysis/command.ts";
import { absolute, climbsBack } from "../../match/paths.ts";
import { otherWords } from "./other-words.ts";
import { textWords } from "./text-words.ts";
import type { Word } from "../analysis/word.ts";

export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** named: appears in the words of a program we do not know. */
  readonly use: "read" | "write" | "named";
  readonly redirected: boolean;
  /** `path` is a file name pattern, escaped where it is literal. */
  readonly pattern: boolean;
  /** Names that start with a dash would be options to the program. */
  readonly loose: boolean;
  /** The shell does not treat a bracket that contains a slash as a bracket, so `path` is not the pattern it uses. */
  readonly torn: boolean;
  readonly command: SimpleCommand;
}

export interface Where {
  readonly cwd: string;
  readonly home: string;
}

/** Programs whose words are text, never files. */
const TEXT_ONLY = new Set(
  "arch basename date dirname docker echo expr false free groups history hostname id ip locale nproc printf ps seq sleep tput tr true type uname uptime which whoami".split(
    " ",
  ),
);

/** Of these, programs that some option lets read a file: `date -f`, `docker run --env-file`. */
const MAY_READ = new Set(["date", "docker", "history", "hostname", "ip"]);

export function opensFiles(program: string): boolean {
  return !TEXT_ONLY.has(program);
}

/** Programs that change the files they name. */
const WRITERS = new Set(
  "awk chgrp chmod chown cp dd ed ex gawk install ln mkdir mv nano patch perl rm rmdir rsync sed shred sort sponge tar tee touch truncate unlink unzip vi vim".split(
    " ",
  ),
);

/** Subcommands of git that change the files they name. */
const GIT_WRITERS = new Set(
  "checkout checkout-index interpret-trailers mailinfo mailsplit merge-file mv restore rm".split(" "),
);

export function changesNamedFiles(program: string): boolean {
  return WRITERS.has(program);
}

function changesFiles(name: string, words: readonly Word[]): boolean {
  if (name !== "git") return WRITERS.has(name);
  const subcommand = words.find(
    ({ value }, at) =>
      !value.startsWith("-") &&
      !/^(-[Cc]|--(git-dir|work-tree|namespace|config-env|super-prefix|attr-source))$/.test(words[at - 1]?.value ?? ""),
  );
  return GIT_WRITERS.has(subcommand?.value ?? "");
}

/** Options by which most programs are told where to write: `curl -o x`, `tsc --outFile x`. */
const OUTPUT = /^(-[a-zA-Z]*[oO]|--?out([A-Z-].*|put.*|file|dir)?|--log-?file|--dump-header|--cookie-jar)$/;
const ATTACHED_OUTPUT = /^(-[oO].|--?out[a-zA-Z-]*=|--log-?file=|--dump-header=|--cookie-jar=|of=)/;

/** The first operand is a pattern or a program, not a file. */
const PATTERN_FIRST = new Set("awk egrep fgrep gawk grep jq rg sed".split(" "));

const MOST_PLACES = 64;
const MOST_PIECES = 12;

/** Every command, including those behind wrappers and in constant shell text. */
export function everyCommand(commands: readonly SimpleCommand[]): SimpleCommand[] {
  return commands.flatMap((command) => [command, ...everyCommand(command.runs)]);
}

/**
 * strict: everything that could be a file name, also after `=`, `:` and `@`, seen from every folder the command may
 * have changed to. For deny rules. lenient: what a read-only program would open.
 */
export function filesOf(
  command: SimpleCommand,
  places: readonly string[],
  home: string,
  way: "strict" | "lenient",
): NamedFile[] {
  const files = command.redirections.flatMap(({ kind, target }): NamedFile[] => {
    if ((kind !== "read" && kind !== "write") || target.kind === "unknown") return [];
    return resolved(target, places, home).map((file) => ({
      ...file,
      use: kind,
      redirected: true,
      loose: false,
      torn: isTorn(target),
      command,
    }));
  });
  const [program, ...words] = command.words;
  const name = basename(program?.value ?? "");
  const text = TEXT_ONLY.has(name) && !(way === "strict" && MAY_READ.has(name));
  const ended = command.words.findIndex((word) => word.value === "--");
  const add = (word: Word, use: NamedFile["use"], at = 0) => {
    const loose = !text && word.kind === "glob" && /^[*?[]/.test(word.value) && (ended < 0 || at < ended);
    for (const file of resolved(word, places, home))
      files.push({ ...file, use, redirected: false, loose, torn: isTorn(word), command });
  };

  if (text) {
    // The shell reads the folder of a pattern, whatever the names are used for.
    for (const word of words) if (word.kind === "glob") add(word, "named");
    return files;
  }
  if (way === "strict" && program && program.kind !== "unknown") add(program, "named");
  const use = changesFiles(name, words) ? "write" : "named";
  const texts = (way === "lenient" ? textWords(name, words) : undefined) ?? patternOperand(name, words);
  const others = way === "strict" ? otherWords(command) : undefined;
  for (const [at, word] of words.entries()) {
    if (texts.has(at) || word.kind === "unknown" || others?.has(word)) continue;
    const isOutput = way === "strict" && OUTPUT.test(words[at - 1]?.value ?? "");
    add(word, isOutput ? "write" : use, at + 1);
    const ownUse = way === "strict" && ATTACHED_OUTPUT.test(word.value) ? "write" : use;
    for (const piece of way === "strict" ? pieces(word.value) : optionValue(word.value)) {
      add({ ...word, kind: piece.startsWith("~/") ? "home" : word.kind, value: piece }, ownUse);
    }
  }
  for (const word of name === "cp" ? copiedTo(words) : []) add(word, use);
  if (name === "cd" && words.length === 0) add({ kind: "home", value: "~", text: "" }, "named");
  return files;
}

/** `cp a dir` writes dir/a, and follows a link of that name. */
function copiedTo(words: readonly Word[]): Word[] {
  const given = words.findIndex(({ value }) => /^(-[a-zA-Z]*t|--t[a-z-]*)$/.test(value)) + 1;
  const glued = words.find(({ value }) => /^(-[a-zA-Z]*t.|--t[a-z-]*=)/s.test(value));
  const named = words.filter(({ value }, at) => !value.startsWith("-") && (given === 0 || at !== given));
  const last = given > 0 ? words[given] : glued && { ...glued, value: glued.value.replace(/^(--[^=]*=|-[^t]*t)/, "") };
  const target = last ?? named.pop();
  if (target === undefined || target.kind === "unknown") return [];
  return named.flatMap((source): Word[] => {
    if (source.kind === "unknown") return [];
    const kind = source.kind === "glob" || target.kind === "glob" ? "glob" : target.kind;
    const plain = (word: Word) => (kind === "glob" && word.kind !== "glob" ? escaped(word.value) : word.value);
    return [{ kind, value: `${plain(target)}/${basename(plain(source))}`, text: target.text }];
  });
}

function isTorn({ kind, text }: Word): boolean {
  return kind === "glob" && /\[[^\]]*\//.test(text);
}

/** The paths a word may mean, seen from each folder. */
export function resolved(word: Word, places: readonly string[], home: string): { path: string; pattern: boolean }[] {
  if (word.value === "") return [];
  const pattern = word.kind === "glob";
  const value = atHome(word, home);
  return places.map((place) => {
    const from = pattern ? escaped(place) : place;
    return { path: absolute(from, value), pattern };
  });
}

const escaped = (path: string) => path.replace(/[*?[\]\\]/g, "\\$&");

/** The folders a command may be in when it names a file, by both names: `..` goes up from the real one. */
export function placesIn(
  commands: readonly SimpleCommand[],
  { cwd, home }: Where,
  real: (path: string) => string = (path) => path,
): string[] {
  const places = [absolute("/", cwd)];
  const move = (word: Word | undefined) => {
    if (word === undefined || word.kind === "unknown" || word.kind === "glob") return;
    // Past this limit the command counts as lost, and the folders no longer matter.
    if (places.length >= MOST_PLACES) return;
    for (const place of [...places]) {
      const next = absolute(place, atHome(word, home));
      for (const each of [next, real(next)]) {
        if (!places.includes(each) && places.length < MOST_PLACES) places.push(each);
      }
    }
  };
  for (const { words } of commands) (goesHome(words) ? [HOME] : movesOf(words)).forEach(move);
  return places;
}

const HOME: Word = { kind: "home", value: "~", text: "~" };

const goesHome = ([program, ...words]: readonly Word[]) =>
  program?.value === "cd" &&
  words.every(({ kind, value }) => kind === "literal" && value.startsWith("-") && value !== "-");

/** Whether it changes to a folder the text does not show, or redefines HOME. */
export function isAdrift(commands: readonly SimpleCommand[]): boolean {
  return commands.some(
    ({ words, assignments }) =>
      movesOf(words).some(({ kind }) => kind === "unknown") || assignments.some(({ name }) => name === "HOME"),
  );
}

/** Whether it may change the folder that later parts run in. */
export function mayMove({ words, runs }: SimpleCommand): boolean {
  return runs.length > 0 || /^(cd|pushd|popd|source|\.|eval)$/.test(words[0]?.value ?? "") || movesOf(words).length > 0;
}

function movesOf(words: readonly Word[]): Word[] {
  const name = words[0]?.value;
  const own =
    name === "cd" || name === "pushd" ? words.slice(1).find((word) => !word.value.startsWith("-")) : undefined;
  const told = words.filter((_, at) => /^(-C|--directory|--chdir)$/.test(words[at - 1]?.value ?? ""));
  return own ? [own, ...told] : told;
}

/**
 * A command that changes folders so often, or to a folder a pattern chooses, that its relative paths may mean anything.
 * The same goes for `cd link/../x`: if ./x does not exist, bash follows the link after all.
 */
export function isLost(places: readonly string[], commands: readonly SimpleCommand[] = []): boolean {
  const leadsAnywhere = ({ kind, value }: Word) => kind === "glob" || climbsBack(value);
  return places.length >= MOST_PLACES || commands.some(({ words }) => movesOf(words).some(leadsAnywhere));
}

/** A target that needs no approval. */
export function isNullDevice({ target }: Redirection): boolean {
  return target.kind === "literal" && target.value === "/dev/null";
}

/** Patterns and words from braces may start with `~` too. */
function atHome({ kind, value }: Word, home: string): string {
  return kind !== "literal" && /^~(\/|$)/.test(value) ? home + value.slice(1) : value;
}

/** `--file=x`, `if=x`, `@x`, `HEAD:x`, `-fx`: what follows each character that may introduce a file. */
function pieces(value: string): string[] {
  const found: string[] = [];
  if (/^-[A-Za-z]./.test(value)) found.push(value.slice(2));
  for (let at = 0; at < value.length && found.length < MOST_PIECES; at++) {
    if (/[=:@,]/.test(value[at]!)) found.push(value.slice(at + 1));
  }
  const path = /\bfile:(?:\/\/[^/]*)?(\/[^?#]*)/i.exec(value)?.[1];
  return path === undefined ? found : [...found, decoded(path)];
}

/** `file://localhost/repo/.e%6ev` is `/repo/.env`. */
function decoded(path: string): string {
  return path.replace(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function optionValue(value: string): string[] {
  const long = /^--[\w-]+=(.+)$/s.exec(value)?.[1];
  if (long !== undefined) return [long];
  const short = /^-[A-Za-z]+?([/~.].*)$/s.exec(value)?.[1];
  return short === undefined ? [] : [short];
}

/** The position of the pattern of `grep` and similar programs; empty if the options leave any doubt. */
function patternOperand(name: string, words: readonly Word[]): ReadonlySet<number> {
  if (!PATTERN_FIRST.has(name)) return new Set();
  const doubtful = words.some(({ value }) => value.startsWith("--") || /^-[A-Za-z]*[ef]/.test(value));
  // A lone `-` is an operand too.
  const first = words.findIndex(({ value }) => !value.startsWith("-") || value === "-");
  // A file name pattern becomes several words, and only the first of them is not a file.
  return new Set(doubtful || words[first]?.kind === "glob" ? [] : [first]);
}
