// How long a regular expression may take, guessed from how it is written. It only has to tell the harmless from those
// that may try every way of splitting a text; it never runs one.

/** How the work grows: with a power of the length, doubled for each choice, or without bound when `nested`. */
export interface Growth {
  readonly degree: number;
  readonly choices: number;
  readonly nested: boolean;
}

/** About 50 ms of matching. */
const MOST_STEPS = 10_000_000;

/** Whether matching a text of this length stays within bounds. */
export function isQuick({ degree, choices, nested }: Growth, length: number): boolean {
  if (nested) return 3 ** length <= MOST_STEPS;
  // Where the match begins is one more thing to try.
  let steps = 2 ** choices;
  for (let power = 1; power <= degree + 1; power++) steps *= Math.max(1, length / power);
  return steps <= MOST_STEPS;
}

/** `source` must be a valid pattern. */
export function growthOf(source: string): Growth {
  const open: Level[] = [newLevel()];
  for (let at = 0; at < source.length; at++) {
    const level = open.at(-1)!;
    const character = source[at]!;
    if (character === "\\") {
      const escaped = source[++at] ?? "";
      // What a back reference stands for is found out again and again.
      if (/[1-9k]/.test(escaped)) level.sequence.degree++;
      begin(level, "\\");
    } else if (character === "[") {
      begin(level, "[");
      at = classEnd(source, at);
    } else if (character === "(") {
      begin(level, "(");
      open.push(newLevel());
      at = groupStart(source, at);
    } else if (character === "|") {
      nextBranch(level);
    } else if (character === ")") {
      open.pop();
      const outer = open.at(-1) ?? newLevel();
      if (open.length === 0) open.push(outer);
      nextBranch(level);
      const quantifier = quantifierAt(source, at + 1);
      addGroup(outer, level, quantifier.repeats);
      if (quantifier.optional) outer.sequence.choices++;
      if (quantifier.repeats) outer.sequence.degree++;
      at += quantifier.length;
    } else {
      const quantifier = quantifierAt(source, at);
      if (quantifier.length === 0) {
        begin(level, character);
        continue;
      }
      if (quantifier.repeats) level.sequence.degree++;
      else if (quantifier.optional) level.sequence.choices++;
      at += quantifier.length - 1;
    }
  }
  const whole = open[0]!;
  nextBranch(whole);
  return whole.worst;
}

interface Tally {
  degree: number;
  choices: number;
  nested: boolean;
}

/** One pair of parentheses, or the whole pattern. */
interface Level {
  sequence: Tally;
  /** Of the branches so far, the worst: only one of them is taken at a time. */
  worst: Tally;
  /** How each branch begins; a sign that is no plain character stands for any. */
  readonly beginnings: string[];
  begun: boolean;
  branches: number;
}

const newTally = (): Tally => ({ degree: 0, choices: 0, nested: false });
const newLevel = (): Level => ({
  sequence: newTally(),
  worst: newTally(),
  beginnings: [],
  begun: false,
  branches: 0,
});

function begin(level: Level, sign: string): void {
  if (!level.begun) level.beginnings.push(sign);
  level.begun = true;
}

function nextBranch(level: Level): void {
  const { sequence, worst } = level;
  level.worst = {
    degree: Math.max(worst.degree, sequence.degree),
    choices: Math.max(worst.choices, sequence.choices),
    nested: worst.nested || sequence.nested,
  };
  if (!level.begun) level.beginnings.push("(");
  level.sequence = newTally();
  level.begun = false;
  level.branches++;
}

function addGroup(outer: Level, { worst, branches, beginnings }: Level, repeats: boolean): void {
  const ambiguous = branches > 1 && !areDistinct(beginnings);
  outer.sequence.nested ||= worst.nested || (repeats && (worst.degree > 0 || worst.choices > 0 || ambiguous));
  outer.sequence.degree += worst.degree;
  outer.sequence.choices += worst.choices + (ambiguous ? 1 : 0);
}

function areDistinct(beginnings: readonly string[]): boolean {
  return beginnings.every((sign) => /^[\w ]$/.test(sign)) && new Set(beginnings).size === beginnings.length;
}

interface Quantifier {
  readonly length: number;
  readonly repeats: boolean;
  readonly optional: boolean;
}

function quantifierAt(source: string, at: number): Quantifier {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 24));
  if (!found) return { length: 0, repeats: false, optional: false };
  const [text, least, comma, most] = found;
  const exact = least !== undefined && comma === "";
  // Repeated groups count also when the number is fixed: what is inside may still be split in many ways.
  const repeats =
    text.startsWith("*") || text.startsWith("+") || (least !== undefined && (!exact || Number(least) > 1));
  return { length: text.length, repeats, optional: text.startsWith("?") || (comma === "," && most === "1") };
}

function classEnd(source: string, at: number): number {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === "\\") end++;
    else if (source[end] === "]") return end;
  }
  return source.length;
}

/** Steps over `?:`, `?=`, `?<name>` and the like. */
function groupStart(source: string, at: number): number {
  const found = /^\(\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/.exec(source.slice(at, at + 100));
  return found ? at + found[0].length - 1 : at;
}
