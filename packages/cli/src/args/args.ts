// Parses command-line words into values, using the table in flags.ts. It checks each word by itself;
// invocation.ts checks how they combine.

import { asPrompt, eitherOf, nearest } from "./nearest.ts";
import { FLAGS, type Flag } from "./flags.ts";

export interface Arguments {
  /** Whether the flag was given, with or without a value. */
  has(name: string): boolean;
  /** The last value given. */
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  /** All values given; undefined when the flag was not. */
  list(name: string): readonly string[] | undefined;
  /** The words that are not flags or their values. */
  readonly words: readonly string[];
  /** The same words, joined with spaces. */
  readonly prompt: string | undefined;
  /** Of all flags that were given. */
  readonly names: readonly string[];
  /** Names of the given flags that have no effect here. */
  readonly ignored: readonly string[];
  /** The last word taken by a flag with several or optional values, if it looks like a prompt. */
  readonly swallowed: { readonly flag: string; readonly word: string } | undefined;
}

export type Parsed =
  { readonly ok: true; readonly arguments: Arguments } | { readonly ok: false; readonly error: string };

export function parseArguments(argv: readonly string[], flags: readonly Flag[] = FLAGS): Parsed {
  try {
    return { ok: true, arguments: collect(argv, flags) };
  } catch (error) {
    if (error instanceof WrongWord) return { ok: false, error: error.message };
    throw error;
  }
}

/** A flag as shown in help: `-r, --resume [session]`. */
export function spelling(flag: Flag): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  switch (flag.value.kind) {
    case "none":
      return `${short}--${flag.name}`;
    case "optional":
      return `${short}--${flag.name} [${flag.value.label}]`;
    case "list":
      return `${short}--${flag.name} <${flag.value.label}...>`;
    default:
      return `${short}--${flag.name} <${flag.value.label}>`;
  }
}

class WrongWord extends Error {}

/** Words before an unknown option are probably a prompt that mentions one: `explain what --force does`. */
function unknownOption(word: string, argv: readonly string[], close?: string): WrongWord {
  const at = argv.indexOf(word);
  const before = argv.slice(0, at);
  const start = before.findLastIndex(isFlagLike) + 1;
  const hint = at - start > 1 ? `\n${asPrompt(argv.slice(start))}` : "";
  return new WrongWord(`unknown option '${word}'${close === undefined ? "" : ` (did you mean --${close}?)`}${hint}`);
}

function collect(argv: readonly string[], flags: readonly Flag[]): Arguments {
  const names = new Map<string, Flag>();
  const shorts = new Map<string, Flag>();
  for (const flag of flags) {
    names.set(flag.name, flag);
    for (const name of flag.aliases ?? []) names.set(name, flag);
    if (flag.short !== undefined) shorts.set(flag.short, flag);
  }
  const values = new Map<string, string[]>();
  const words: string[] = [];
  // The words after a command are none.
  const mayBePrompt = flags === FLAGS ? argv : [];
  let open: Flag | undefined;
  let swallowed: Swallowed | undefined;

  const record = (flag: Flag, value?: string) => {
    const given = values.get(flag.name) ?? [];
    if (value !== undefined) given.push(checked(flag, value));
    values.set(flag.name, given);
  };

  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      words.push(...rest);
      break;
    }
    if (!isFlagLike(word)) {
      if (open === undefined) words.push(word);
      else {
        record(open, word);
        swallowed = { flag: open.name, word, isLater: true };
      }
      continue;
    }
    open = undefined;
    swallowed = undefined;

    const { flag, attached, more } = word.startsWith("--")
      ? long(word, names, flags, mayBePrompt)
      : short(word, shorts, mayBePrompt);
    if (flag.state === "later") throw new WrongWord(`option --${flag.name} is not available in this version yet`);
    if (more !== undefined) rest.unshift(more);
    if (flag.value.kind === "none") record(flag);
    else if (attached !== undefined) record(flag, attached);
    else if (flag.value.kind === "optional") {
      const value = rest[0] !== undefined && mayFollow(flag.value, rest[0]) ? rest.shift() : undefined;
      record(flag, value);
      if (value !== undefined) swallowed = { flag: flag.name, word: value };
    } else {
      const value = rest.shift();
      if (value === undefined) throw new WrongWord(`option --${flag.name} requires a value`);
      record(flag, value);
      if (flag.value.kind === "list") {
        open = flag;
        swallowed = { flag: flag.name, word: value };
      }
    }
  }

  return {
    has: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    number: (name) => (values.has(name) ? Number(values.get(name)!.at(-1)) : undefined),
    list: (name) => values.get(name),
    words,
    prompt: words.length === 0 ? undefined : words.join(" "),
    names: [...values.keys()],
    ignored: [...values.keys()].filter((name) => names.get(name)?.state === "ignored"),
    swallowed: swallowed && isPromptLike(swallowed) ? { flag: swallowed.flag, word: swallowed.word } : undefined,
  };
}

interface Swallowed {
  readonly flag: string;
  readonly word: string;
  /** Not the first value of its flag. */
  readonly isLater?: boolean;
}

/**
 * The first value of a flag is meant for it if it is one word, as names of tools and folders are; a filter of `--debug`
 * is rarely given without a prompt.
 */
const isPromptLike = ({ flag, word, isLater }: Swallowed) =>
  !word.includes("(") && (flag === "debug" || isLater === true || word.includes(" "));

// A lone "-" is a word.
const isFlagLike = (word: string) => word.length > 1 && word.startsWith("-");

const mayFollow = ({ fits }: { readonly fits?: RegExp }, word: string) =>
  !isFlagLike(word) && (fits === undefined || fits.test(word));

interface Found {
  readonly flag: Flag;
  readonly attached?: string | undefined;
  /** What is left of `-pc` after `-p`. */
  readonly more?: string | undefined;
}

function long(word: string, names: ReadonlyMap<string, Flag>, flags: readonly Flag[], argv: readonly string[]): Found {
  const equals = word.indexOf("=");
  const name = word.slice(2, equals < 0 ? undefined : equals);
  const flag = names.get(name);
  if (flag === undefined || (flag.value.kind === "none" && equals >= 0)) {
    const known = flags
      .filter(({ help }) => help !== undefined)
      .flatMap((each) => [each.name, ...(each.aliases ?? [])]);
    throw unknownOption(word, argv, nearest(name, known));
  }
  return { flag, attached: equals < 0 ? undefined : word.slice(equals + 1) };
}

function short(word: string, shorts: ReadonlyMap<string, Flag>, argv: readonly string[]): Found {
  const flag = shorts.get(word[1]!);
  if (flag === undefined) throw unknownOption(word, argv);
  const tail = word.slice(2);
  if (tail === "") return { flag };
  return flag.value.kind === "none" ? { flag, more: `-${tail}` } : { flag, attached: tail };
}

function checked(flag: Flag, word: string): string {
  const { value } = flag;
  const wrong = (why: string) => {
    throw new WrongWord(`invalid value "${word}" for --${flag.name}; ${why}`);
  };
  switch (value.kind) {
    case "choice":
      if (!value.choices.includes(word)) wrong(`use ${eitherOf(value.choices)}`);
      return word;
    case "integer":
      if (!/^\d+$/.test(word) || Number(word) < value.least || !Number.isSafeInteger(Number(word))) {
        wrong(`use a whole number, ${value.least} or more`);
      }
      return word;
    case "number": {
      const number = Number(word);
      const fits = value.above ? number > value.least : number >= value.least;
      if (word.trim() === "" || !Number.isFinite(number) || !fits) {
        wrong(`use a number ${value.above ? "greater than" : "of at least"} ${value.least}`);
      }
      return word;
    }
    default:
      return word;
  }
}
