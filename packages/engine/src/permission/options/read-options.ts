// Reads a program's words as the program would, and finds the first that is not covered by a rule for the program.
// Where a reading is in doubt, the word counts as an option: values are not skipped, and `--` ends the options only
// where it cannot be a value itself.

import type { Word } from "../command/word.ts";

export interface Uncovered {
  readonly word: Word;
  /** pattern: a file name it matches may be read as an option. fed: so may a name that xargs adds. */
  readonly why: "option" | "file" | "pattern" | "fed";
}

/** What is known about the options of one program or subcommand. Lists are separated by spaces. */
export interface Options {
  /** Letters of short options that run a program, load code or write elsewhere. */
  readonly short?: string;
  /** The same for long options, without their dashes. Abbreviations are recognised. */
  readonly long?: string;
  /** Harmless options whose name is the beginning of one in `long`. */
  readonly plain?: string;
  /** Letters of short options that take a value: the rest of the word, or the next word. */
  readonly valued?: string;
  /** Long options that take the next word. Needed only with `operands`. */
  readonly takes?: string;
  /** Letters and names of options whose value is a file or folder, covered inside the working directories. */
  readonly files?: string;
  /** Values, by letter or name, with which an option of `short` or `long` is covered after all. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Options are words with one dash or two, never bundles of letters or abbreviations: find, go, java. */
  readonly single?: true;
  /** The first word is a bundle of letters even without a dash: tar. */
  readonly bundle?: true;
  /** Options that begin with `+` are commands: vim, less. */
  readonly plus?: true;
  /** Options end after this many operands; what follows is for another program. */
  readonly operands?: number;
  /** Letters of options whose value is code; all words after it are for the code. */
  readonly ends?: string;
  /** Operands that are commands or reach elsewhere. */
  readonly operand?: RegExp;
  /** Operands are files it runs or writes. */
  readonly opens?: true;
  /** No option of it harms, so neither does a pattern that may match one. */
  readonly harmless?: true;
  /** Subcommands, applied to what follows the word wherever it stands. */
  readonly commands?: Readonly<Record<string, Options>>;
  /** This subcommand itself is not covered. */
  readonly whole?: true;
  /** It is there to run code: judged only where the rule names more than the program. */
  readonly runsCode?: true;
  /** What options alone do not tell: the position of a word that is not covered, past those the rule spells out. */
  readonly inspect?: (call: Call) => number | undefined;
  /** Reads all words itself. */
  readonly read?: (call: Call) => Uncovered | undefined;
}

export interface Call {
  readonly words: readonly Word[];
  /** Where the words of this program begin. */
  readonly start: number;
  /** Words before this one are spelled out in the rule. */
  readonly agreed: number;
  readonly fed: boolean;
  readonly isSettled: boolean;
  isInside(file: Word): boolean;
}

export function firstUncovered(options: Options, call: Call): Uncovered | undefined {
  if (options.read) return options.read(call);
  const { words, start, agreed } = call;
  const found = readWords(options, call);
  if (found) return found;
  const inspected = options.inspect?.(call);
  if (inspected !== undefined && inspected >= agreed) return { word: words[inspected]!, why: "option" };
  if (options.commands === undefined) return undefined;
  for (let at = start; at < words.length; at++) {
    const name = words[at]!.value;
    if (!Object.hasOwn(options.commands, name)) continue;
    const command = options.commands[name]!;
    if (command.whole && at >= agreed) return { word: words[at]!, why: "option" };
    const inner = firstUncovered(command, { ...call, start: at + 1 });
    if (inner) return inner;
  }
  return undefined;
}

/** For `inspect`: the first of the program's words that matches. */
export function wordMatching(pattern: RegExp): NonNullable<Options["inspect"]> {
  return ({ words, start, agreed }) => {
    const found = words.findIndex((word, at) => at >= Math.max(start, agreed) && pattern.test(word.value));
    return found < 0 ? undefined : found;
  };
}

function readWords(options: Options, call: Call): Uncovered | undefined {
  const { words, start, agreed } = call;
  let operands = 0;
  let ended = false;
  for (let at = start; at < words.length; at++) {
    const word = words[at]!;
    if (!ended && word.value === "--") ended = endsOptions(words, at, start);
    else if (!ended && mayBeOption(word, options)) {
      if (at >= agreed && (!call.isSettled || word.value.startsWith("-"))) return { word, why: "pattern" };
    } else if (!ended && isOption(word.value, options, at === start)) {
      const { why, taken, file } = readOption(word, words[at + 1], options, call);
      if (why !== undefined && at >= agreed) return { word: file ?? word, why };
      if (options.ends !== undefined && endsWithCode(word.value, options.ends)) return undefined;
      if (options.operands !== undefined) at += taken;
    } else {
      if (at >= agreed && options.operand?.test(word.value)) return { word, why: "option" };
      if (at >= agreed && options.opens && !call.isInside(word)) return { word, why: "file" };
      if (++operands === options.operands) return undefined;
    }
  }
  const last = words.at(-1)!;
  return call.fed && !ended && isHarmful(options) ? { word: last, why: "fed" } : undefined;
}

/** In `-f -- --exec`, the dashes may be the value of `-f`. */
function endsOptions(words: readonly Word[], at: number, start: number): boolean {
  const before = at > start ? words[at - 1]! : undefined;
  if (before === undefined) return true;
  if (before.kind === "glob") return /^[^-*?[]/.test(before.value);
  return !before.value.startsWith("-") || /^--[^=]+=/.test(before.value);
}

function endsWithCode(value: string, letters: string): boolean {
  return !value.startsWith("--") && [...letters].some((letter) => value.includes(letter));
}

function isOption(value: string, options: Options, first: boolean): boolean {
  if (first && options.bundle && /^[A-Za-z]/.test(value)) return true;
  return value.length > 1 && (value.startsWith("-") || (options.plus === true && value.startsWith("+")));
}

function isHarmful({ harmless, short, long, single, plus, bundle }: Options): boolean {
  return !harmless && Boolean(short || long || single || plus || bundle);
}

/** A pattern that may match a file named like an option. In `--include=*.ts` the option is known. */
function mayBeOption({ kind, value }: Word, options: Options): boolean {
  if (kind !== "glob" || !/^[-*?[]/.test(value) || /^-[^*?[]*=/.test(value)) return false;
  const ending = /^\*([^*?[\\]+)$/.exec(value)?.[1];
  // These take no value in the same word, so the whole name has to match.
  if (options.single && ending !== undefined) return list(options.long).some((name) => name.endsWith(ending));
  return isHarmful(options);
}

interface Read {
  readonly why?: "option" | "file";
  /** The value that is the reason. */
  readonly file?: Word;
  /** How many of the next words are its value. */
  readonly taken: number;
}

function readOption(word: Word, next: Word | undefined, options: Options, call: Call): Read {
  const { value } = word;
  if (value.startsWith("+")) return { why: "option", taken: 0 };
  if (value.startsWith("--") || options.single) return readLong(word, next, options, call);
  const letters = value.startsWith("-") ? value.slice(1) : value;
  for (const [at, letter] of [...letters].entries()) {
    const rest = letters.slice(at + 1);
    // Without a dash, every letter is an option and the values follow as words of their own.
    const attached = value.startsWith("-") && rest !== "" ? rest : undefined;
    const given = attached === undefined ? next : { ...word, value: attached.replace(/^=/, "") };
    const taken = attached === undefined && next ? 1 : 0;
    if (has(options.short, letter)) {
      if (!isAccepted(letter, given, options)) return { why: "option", taken };
      return { taken };
    }
    if (list(options.files).includes(letter)) return { ...fileOf(given, call), taken };
    if (options.valued?.includes(letter) && value.startsWith("-")) return { taken };
  }
  return { taken: 0 };
}

function readLong(word: Word, next: Word | undefined, options: Options, call: Call): Read {
  const [, name = "", attached] = /^--?([^=]*)(?:=(.*))?$/s.exec(word.value) ?? [];
  const given = attached === undefined ? next : { ...word, value: attached };
  const taken = attached === undefined && list(options.takes).includes(name) ? 1 : 0;
  if (name === "" || list(options.plain).includes(name)) return { taken };
  if (list(options.files).includes(name)) return { ...fileOf(given, call), taken };
  const running = named(options.long, name, options);
  if (running.length > 0) {
    return running.every((each) => isAccepted(each, given, options)) ? { taken } : { why: "option", taken };
  }
  const isFile = named(options.files, name, options).some((each) => each.length > 1);
  return isFile ? { ...fileOf(given, call), taken } : { taken };
}

/** The names it may stand for: an abbreviation is as good as the whole. */
function named(names: string | undefined, given: string, { single }: Options): string[] {
  if (names === undefined || !` ${names}`.includes(` ${given}`)) return [];
  const all = list(names);
  if (all.includes(given)) return [given];
  return single ? [] : all.filter((name) => name.startsWith(given));
}

function isAccepted(name: string, given: Word | undefined, { values }: Options): boolean {
  if (values === undefined || !Object.hasOwn(values, name)) return false;
  return given?.kind !== "glob" && values[name]!.test(given?.value ?? "");
}

/** `@` before a name means the content of the file. */
function fileOf(given: Word | undefined, { isInside }: Call): { why?: "file"; file?: Word } {
  if (given === undefined || STANDARD.test(given.value)) return {};
  return isInside({ ...given, value: given.value.replace(/^@/, "") }) ? {} : { why: "file", file: given };
}

const STANDARD = /^(-|\/dev\/(null|std(in|out|err)|fd\/\d))$/;

function has(letters: string | undefined, letter: string): boolean {
  return letters !== undefined && letters.includes(letter);
}

function list(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(" ");
}
