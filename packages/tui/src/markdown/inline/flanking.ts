// Whether a run of `*`, `_` or `~` may start or end an emphasis. As in the standard, except that globs, paths and
// names such as `__init__.py` keep their characters.

export function opensEmphasis(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (isSpace(after)) return false;
  if (isPunctuation(after) && !isSpace(before) && !isPunctuation(before)) return false;
  if (before === "/" || before === "\\") return false;
  if (after === "/" && text[end + 1] === "*") return false;
  if (text[start] === "_") return !WORD.test(before) && !isInName(text, start, end);
  return true;
}

export function closesEmphasis(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (isSpace(before)) return false;
  if (isPunctuation(before) && !isSpace(after) && !isPunctuation(after)) return false;
  if (after === "/" || (after === "\\" && WORD.test(text[end + 1] ?? " "))) return false;
  if (before === "/" && after === "." && WORD.test(text[end + 1] ?? " ")) return false;
  if (text[start] === "_") return !WORD.test(after) && !isInName(text, start, end);
  return true;
}

const WORD = /[\p{L}\p{N}_]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\u00a0" || character === "\u3000";
}

function isPunctuation(character: string): boolean {
  return PUNCTUATION.test(character);
}

/** `__init__.py`, `__name__(`, `a.__class__`: the underscores belong to a name. */
function isInName(text: string, start: number, end: number): boolean {
  let from = start;
  let to = end;
  while (from > start - MAX_NAME && WORD.test(text[from - 1] ?? " ")) from--;
  while (to < end + MAX_NAME && WORD.test(text[to] ?? " ")) to++;
  if (text[from] !== "_" || text[to - 1] !== "_") return false;
  if (text[from - 1] === "." || text[from - 1] === "/" || text[to] === "(") return true;
  return (text[to] === "." || text[to] === "/" || text[to] === ":") && WORD.test(text[to + 1] ?? " ");
}

/** Longer names are none. */
const MAX_NAME = 64;
