// Why the text to replace was not found, in words for the model: the place in the file that is most like it, and what
// differs there. Bounded in time and length, however large the file is. Pure. Loaded with the first edit that fails.

const MAX_FILE = 4_000_000;
const MAX_WANTED = 50_000;
const MAX_SHOWN_LINES = 8;
const MAX_SHOWN_LENGTH = 300;
/** Of the lines that are compared letter by letter. */
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_LENGTH = 500;
const LEAST_LIKE = 0.4;

export function whyNotFound(lf: string, wanted: string): string {
  if (lf.length > MAX_FILE || wanted.length > MAX_WANTED) return NOT_LOOKED_FOR;
  const bare = withoutNumbers(wanted);
  if (bare === undefined) return nearestTo(lf, wanted);
  const at = lf.indexOf(bare);
  return `${NUMBERS} Without them: ${at === -1 ? nearestTo(lf, bare) : `it is on line ${lineAt(lf, at)}.`}`;
}

const nearestTo = (lf: string, wanted: string) =>
  otherSpelling(lf, wanted) ?? similarLine(lf, wanted) ?? NOTHING_LIKE_IT;

const NOT_LOOKED_FOR = "Read the part that you want to change, and copy it as it is.";
const NOTHING_LIKE_IT = "Nothing in the file is like it: it may be in another file, or changed before.";

const NUMBERS = "It begins with line numbers, which Read adds and the file does not have.";

/** The text without the numbers that Read puts before lines; undefined if its first line has none. */
function withoutNumbers(wanted: string): string | undefined {
  const number = /^[ \t]*\d+(?:\t|→)/;
  if (!number.test(wanted)) return undefined;
  const bare = wanted.replace(new RegExp(number, "gm"), "");
  return bare.trim() === "" ? undefined : bare;
}

/** The same letters, but other spaces, line breaks, quotes or backslashes. */
function otherSpelling(lf: string, wanted: string): string | undefined {
  const letters = lettersOf(wanted);
  if (letters.text === "") return undefined;
  const all = lettersOf(lf);
  const at = all.text.indexOf(letters.text);
  if (at === -1) return undefined;
  const from = all.offsets[at]!;
  const to = all.offsets[at + letters.text.length - 1]! + 1;
  const first = lineAt(lf, from);
  const last = first + lf.slice(from, to).split("\n").length - 1;
  const lines = lf.split("\n").slice(first - 1, last);
  const where = first === last ? `Line ${first} differs` : `Lines ${first}–${last} differ`;
  const isSpacing = withoutSpaces(lf.slice(from, to)) === withoutSpaces(wanted);
  const what = isSpacing ? `whitespace${spacingIn(lines, wanted, first)}` : "quotes, dashes, backslashes or whitespace";
  return `${where} from it only in ${what}:\n${numbered(lines, first)}`;
}

const SAME_TO_US: Readonly<Record<string, string>> = {
  "'": '"',
  "`": '"',
  "\u2018": '"',
  "\u2019": '"',
  "\u201c": '"',
  "\u201d": '"',
  "\u2013": "-",
  "\u2014": "-",
};

/** The text without spaces and backslashes, with one kind of quotes, and where in the text each letter is. */
function lettersOf(text: string): { readonly text: string; readonly offsets: Uint32Array } {
  const offsets = new Uint32Array(text.length);
  const letters: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (letter === "\\" || isSpace(letter)) continue;
    offsets[letters.length] = at;
    letters.push(SAME_TO_US[letter] ?? letter);
  }
  return { text: letters.join(""), offsets };
}

const isSpace = (letter: string) => letter <= " " || (letter > "~" && /\s/.test(letter));
const withoutSpaces = (text: string) => text.replace(/\s+/g, "");

/** The first line whose indentation differs, in words. */
function spacingIn(lines: readonly string[], wanted: string, first: number): string {
  const given = wanted.split("\n").filter((line, at, all) => line.trim() !== "" || (at > 0 && at < all.length - 1));
  if (given.length !== lines.length) return " and line breaks";
  for (const [at, line] of lines.entries()) {
    const [ours, theirs] = [indentOf(line), indentOf(given[at]!)];
    // It may begin in the middle of its first line.
    if (ours === theirs || (at === 0 && theirs === "") || line.trim() === "") continue;
    return ` (line ${first + at} is indented with ${inWords(ours)}, not ${inWords(theirs)})`;
  }
  return "";
}

const indentOf = (line: string) => /^\s*/.exec(line)![0];

function inWords(indent: string): string {
  const [tabs, spaces] = [indent.split("\t").length - 1, indent.split(" ").length - 1];
  const parts = [...(tabs > 0 ? [counted(tabs, "tab")] : []), ...(spaces > 0 ? [counted(spaces, "space")] : [])];
  return parts.join(" and ") || "nothing";
}

const counted = (count: number, name: string) => (count === 1 ? `1 ${name}` : `${count} ${name}s`);

/** The line that is most like the longest line of the text. */
function similarLine(lf: string, wanted: string): string | undefined {
  const given = wanted.split("\n");
  const lines = lf.split("\n");
  // Most often some lines are right: they say where the others should be.
  const start = agreedStart(lines, given);
  if (start !== undefined) {
    const wrong = given.findIndex((line, at) => !sameLetters(lines[start + at] ?? "", line));
    const at = wrong === -1 ? 0 : wrong;
    return described(lines, start + at, given[at]!);
  }
  const longest = given.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), "");
  const pairs = pairsOf(longest);
  if (pairs.size === 0) return undefined;
  let [best, most] = [-1, LEAST_LIKE];
  for (const [at, line] of lines.slice(0, MAX_COMPARED_LINES).entries()) {
    const like = likeness(pairs, line);
    if (like > most) [best, most] = [at, like];
  }
  return best === -1 ? undefined : described(lines, best, longest);
}

function described(lines: readonly string[], at: number, given: string): string {
  const line = lines[at];
  if (line === undefined) return `The file ends at line ${lines.length}, before the last lines of it.`;
  return `The place most like it is line ${at + 1}. The file has:\n${numbered([line], at + 1)}\nwhere old_string has:\n${short(given)}`;
}

/** Where the text would start by the lines that it has in common with the file. Longer lines count more. */
function agreedStart(lines: readonly string[], given: readonly string[]): number | undefined {
  const wanted = new Map<string, number[]>();
  for (const [at, line] of given.entries()) {
    const key = withoutSpaces(line);
    if (key.length >= 3) wanted.set(key, [...(wanted.get(key) ?? []), at].slice(0, 5));
  }
  const votes = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    const key = withoutSpaces(line);
    for (const index of wanted.get(key) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + key.length);
  }
  let best: number | undefined;
  for (const [start, weight] of votes) if (start >= 0 && weight > (votes.get(best ?? -1) ?? 0)) best = start;
  return best;
}

const sameLetters = (one: string, other: string) => withoutSpaces(one) === withoutSpaces(other);

function pairsOf(line: string): Set<string> {
  const text = withoutSpaces(line.slice(0, MAX_COMPARED_LENGTH)).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** Between 0 and 1: how many pairs of letters two lines have in common. */
function likeness(pairs: ReadonlySet<string>, line: string): number {
  const others = pairsOf(line);
  let common = 0;
  for (const pair of others) if (pairs.has(pair)) common++;
  return others.size === 0 ? 0 : (2 * common) / (pairs.size + others.size);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** As Read shows them. */
function numbered(lines: readonly string[], first: number): string {
  const shown = lines.slice(0, MAX_SHOWN_LINES).map((line, at) => `${first + at}\t${short(line)}`);
  return [...shown, ...(lines.length > shown.length ? ["…"] : [])].join("\n");
}

const short = (line: string) => (line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)}…` : line);
