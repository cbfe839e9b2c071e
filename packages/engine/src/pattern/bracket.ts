// A `[a-z]` bracket of a glob, read as git's wildmatch reads it. Compiled to ranges, never to a regular expression.

export type TestCharacter = (character: string) => boolean;

export interface Bracket {
  readonly test: TestCharacter;
  /** The index of the closing `]`. */
  readonly end: number;
}

/** Reads from the `[` at `start`. Undefined when it is not closed or names an unknown class: then no path matches. */
export function readBracket(pattern: string, start: number, ignoreCase: boolean): Bracket | undefined {
  let at = start + 1;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at++;
  const ranges: Range[] = [];
  /** Where a `-` would start its range. */
  let previous: string | undefined;
  // The first member is always literal, so `[]a]` contains a bracket.
  for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
    const member = memberAt(pattern, at);
    if (member === undefined) return undefined;
    if ("ranges" in member) {
      ranges.push(...member.ranges);
      previous = undefined;
    } else if (!member.isEscaped && member.character === "-" && previous !== undefined && isRange(pattern, at)) {
      const last = literalAt(pattern, at + 1);
      if (last === undefined) return undefined;
      ranges.push([codeOf(previous), codeOf(last.character)]);
      previous = undefined;
      at = last.next;
      continue;
    } else {
      ranges.push([codeOf(member.character), codeOf(member.character)]);
      previous = member.character;
    }
    at = member.next;
  }
  const holds = (character: string) => includes(ranges, codeOf(character));
  const test: TestCharacter = ignoreCase
    ? (character) => (holds(character.toLowerCase()) || holds(character.toUpperCase())) !== negated
    : (character) => holds(character) !== negated;
  return { test, end: at };
}

type Range = readonly [from: number, to: number];

type Member =
  | { readonly character: string; readonly isEscaped: boolean; readonly next: number }
  | { readonly ranges: readonly Range[]; readonly next: number };

function memberAt(pattern: string, at: number): Member | undefined {
  if (pattern[at] === "[" && pattern[at + 1] === ":") {
    const end = pattern.indexOf("]", at + 2);
    if (end < 0) return undefined;
    if (end > at + 2 && pattern[end - 1] === ":") {
      const ranges = rangesOf(pattern.slice(at + 2, end - 1));
      return ranges && { ranges, next: end + 1 };
    }
  }
  return literalAt(pattern, at);
}

function literalAt(pattern: string, at: number) {
  const isEscaped = pattern[at] === "\\";
  const code = pattern.codePointAt(isEscaped ? at + 1 : at);
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(code);
  return { character, isEscaped, next: at + (isEscaped ? 1 : 0) + character.length };
}

const isRange = (pattern: string, at: number) => at + 1 < pattern.length && pattern[at + 1] !== "]";
const codeOf = (character: string) => character.codePointAt(0)!;
const includes = (ranges: readonly Range[], code: number) => ranges.some(([from, to]) => from <= code && code <= to);

// git's own classes, which only know ASCII. Slashes never get here: patterns are matched name by name.
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "09AZaz",
  alpha: "AZaz",
  blank: "  \t\t",
  cntrl: "\x00\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "  \t\n\r\r",
  upper: "AZ",
  xdigit: "09AFaf",
};

function rangesOf(name: string): readonly Range[] | undefined {
  const ends = Object.hasOwn(CLASSES, name) ? CLASSES[name]! : undefined;
  if (ends === undefined) return undefined;
  return Array.from({ length: ends.length / 2 }, (_, at) => [ends.charCodeAt(2 * at), ends.charCodeAt(2 * at + 1)]);
}
