// Reads a program's words as the program would, and finds the first that a rule for the program does not cover. In
// doubt, a word counts as an option: values are not skipped, and `--` ends the options only where it cannot be a value
// itself.

import type { Word } from "../command/analysis/word.ts";
import { isSettledText } from "./code-words.ts";
import type { ProgramCall, ProgramOptionTable, Uncovered } from "./program-options.ts";

export function firstUncovered(options: ProgramOptionTable, call: ProgramCall): Uncovered | undefined {
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

function readWords(options: ProgramOptionTable, call: ProgramCall): Uncovered | undefined {
  const { words, start, agreed } = call;
  let operands = 0;
  let ended = false;
  // A value of the option before it, or possibly one, so not an operand.
  let value: Word | undefined;
  // Reported only if no option is: an option such as `-C` may be what makes the operand lie outside.
  let opened: Uncovered | undefined;
  for (let at = start; at < words.length; at++) {
    const word = words[at]!;
    if (!ended && word.value === "--") ended = endsOptions(words, at, start);
    else if (!ended && mayBeOption(word, options)) {
      if (at >= agreed && (!call.isSettled || word.value.startsWith("-"))) return { word, why: "pattern" };
    } else if (!ended && isOption(word.value, options, at === start)) {
      const { why, taken, file, values } = readOption(word, words[at + 1], options, call);
      if (why !== undefined && at >= agreed)
        return { word: file ?? word, why, ...(values === undefined ? {} : { values }) };
      if (options.ends !== undefined && endsWithCode(word.value, options.ends)) return opened;
      value = taken > 0 || mayTakeNext(word.value, options) ? words[at + 1] : undefined;
    } else {
      if (at >= agreed && options.operand?.test(word.value)) return { word, why: "option" };
      if (word === value) continue;
      if (at >= agreed && options.opens && !STANDARD.test(word.value) && !call.isInside(word))
        opened ??= { word, why: "file" };
      if (++operands === options.operands) return opened;
    }
  }
  const last = words.at(-1)!;
  if (opened) return opened;
  return call.fed && !ended && isHarmful(options) ? { word: last, why: "fed" } : undefined;
}

/** In `-f -- --exec`, the dashes may be the value of `-f`. */
function endsOptions(words: readonly Word[], at: number, start: number): boolean {
  const before = at > start ? words[at - 1]! : undefined;
  if (before === undefined) return true;
  if (before.kind === "glob") return /^[^-*?[]/.test(before.value);
  return !before.value.startsWith("-") || /^--[^=]+=/.test(before.value);
}

/** When operands are counted, a word that a long option might take is not one. */
function mayTakeNext(value: string, { operands, single }: ProgramOptionTable): boolean {
  return operands !== undefined && (single === true || value.startsWith("--")) && !value.includes("=");
}

function endsWithCode(value: string, letters: string): boolean {
  return !value.startsWith("--") && [...letters].some((letter) => value.includes(letter));
}

function isOption(value: string, options: ProgramOptionTable, first: boolean): boolean {
  if (first && options.bundle && /^[A-Za-z]/.test(value)) return true;
  return value.length > 1 && (value.startsWith("-") || (options.plus === true && value.startsWith("+")));
}

function isHarmful({ harmless, short, long, single, plus, bundle }: ProgramOptionTable): boolean {
  return !harmless && Boolean(short || long || single || plus || bundle);
}

/** A pattern that may match a file named like an option. In `--include=*.ts`, the option is known. */
function mayBeOption({ kind, value }: Word, options: ProgramOptionTable): boolean {
  if (kind !== "glob" || !/^[-*?[]/.test(value) || /^-[^*?[]*=/.test(value)) return false;
  const ending = /^\*([^*?[\\]+)$/.exec(value)?.[1];
  // These programs do not bundle letters, and a program name without a slash is not looked up in the current folder.
  if (options.single && ending !== undefined) return list(options.long).some((name) => name.endsWith(ending));
  return isHarmful(options);
}

interface Read {
  readonly why?: "option" | "file";
  /** The value that is the reason. */
  readonly file?: Word;
  /** How many of the next words are its value. */
  readonly taken: number;
  /** How many of the next words may be values of the option that is the reason, if that is known. */
  readonly values?: number;
}

function readOption(word: Word, next: Word | undefined, options: ProgramOptionTable, call: ProgramCall): Read {
  const { value } = word;
  if (value.startsWith("+")) return { why: "option", taken: 0 };
  if (value.startsWith("--") || options.single) return readLong(word, next, options, call);
  if (!value.startsWith("-")) return readBundle(value, options);
  const long = options.oneDash && value.length > 2 ? readLong(word, next, options, call) : undefined;
  if (long?.why) return long;
  const letters = value.slice(1);
  for (const [at, letter] of [...letters].entries()) {
    const attached = letters.slice(at + 1);
    const given = attached === "" ? next : { ...word, value: attached.replace(/^=/, "") };
    const taken = attached === "" && next ? 1 : 0;
    if (options.short?.includes(letter))
      // The rest may be its value or more letters.
      return isAccepted(letter, given, options)
        ? { taken }
        : { why: "option", taken, values: options.short.includes(letters.at(-1)!) ? 1 : 0 };
    if (names(options.files, letter)) return { ...fileOf(given, call), taken };
    if (options.valued?.includes(letter)) return { taken };
  }
  return { taken: 0 };
}

/** Every letter is an option, and their values follow as separate words, in the order of the letters. */
function readBundle(letters: string, { short = "", valued = "", files }: ProgramOptionTable): Read {
  const isCovered = [...letters].every((letter) => !short.includes(letter) && !names(files, letter));
  const values = [...letters].filter((letter) => `f${short}${valued}`.includes(letter) || names(files, letter)).length;
  return isCovered ? { taken: 0 } : { why: "option", taken: 0, values };
}

function readLong(word: Word, next: Word | undefined, options: ProgramOptionTable, call: ProgramCall): Read {
  const [, name = "", attached] = /^--?([^=]*)(?:=(.*))?$/s.exec(word.value) ?? [];
  const given = attached === undefined ? next : { ...word, value: attached };
  const taken = attached === undefined && names(options.takes, name) ? 1 : 0;
  if (name === "" || names(options.plain, name)) return { taken };
  if (names(options.files, name)) return { ...fileOf(given, call), taken };
  const running = named(options.long, name, options);
  if (running.length > 0) {
    return running.every((each) => isAccepted(each, given, options)) ? { taken } : { why: "option", taken };
  }
  const isFile = named(options.files, name, options).some((each) => each.length > 1);
  return isFile ? { ...fileOf(given, call), taken } : { taken };
}

/** The names it may stand for: an abbreviation works like the full name. */
function named(known: string | undefined, given: string, { single }: ProgramOptionTable): readonly string[] {
  if (known === undefined) return [];
  // `-agentlib:x` and similar options.
  if (single) return [given, given.split(":")[0]!].filter((name) => names(known, name)).slice(0, 1);
  if (names(known, given)) return [given];
  return ` ${known}`.includes(` ${given}`) ? list(known).filter((name) => name.startsWith(given)) : [];
}

function isAccepted(name: string, given: Word | undefined, { values }: ProgramOptionTable): boolean {
  if (values === undefined || !Object.hasOwn(values, name)) return false;
  return (given === undefined || isSettledText(given)) && values[name]!.test(given?.value ?? "");
}

/** What keeps a value from being covered: a file that is protected or outside the working directories. */
export function fileOf(
  given: Word | undefined,
  { isInside }: Pick<ProgramCall, "isInside">,
): { why: "file"; file: Word } | { why?: undefined; file?: undefined } {
  if (given === undefined || STANDARD.test(given.value)) return {};
  const isCovered = filesIn(given.value).every((value) => isInside({ ...given, value }));
  return isCovered ? {} : { why: "file", file: given };
}

/** `@` before a name means the content of the file; `key=/x`, `html:/x` and `file:///x` name files too. */
function filesIn(value: string): string[] {
  const own = value.replace(/^@/, "");
  const named = /^(?:file:\/\/|[\w.,=-]+[=:]@?)(?=[/~]|\.\.(?:\/|$))(?!\/\/)(.*)$/s.exec(own)?.[1];
  return named === undefined ? [own] : [own, named];
}

const STANDARD = /^(-|\/dev\/(null|std(in|out|err)|fd\/\d))$/;

/** Whether a list contains this name. Lists are searched as text, because most are needed only once. */
function names(list: string | undefined, name: string): boolean {
  return list !== undefined && ` ${list} `.includes(` ${name} `);
}

function list(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(" ");
}
