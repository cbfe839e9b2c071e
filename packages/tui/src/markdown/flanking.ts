// Whether a run of `*`, `_` or `~` may start or end an emphasis. As in the standard, except that globs, paths and
// names such as `__init__.py` keep their characters.

export function opensEmphasis(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (isSpace(after)) return false;
  if (isPunctuation(after) && !isSpace(before) && !isPunctuation(before)) return false;
  if (before === "/" || before === "\\") return false;
  if (after === "/" && text[end + 1] === "*") return false;
  if (text[start] === "_") return !WORD.test(before) && !closesName(text, start, end);
  return true;
}

export function closesEmphasis(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (isSpace(before)) return false;
  if (isPunctuation(before) && !isSpace(after) && !isPunctuation(after)) return false;
  if (after === "/" || after === "\\") return false;
  if (before === "/" && after === "." && WORD.test(text[end + 1] ?? " ")) return false;
  if (text[start] === "_") return !WORD.test(after) && !closesName(text, start, end);
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
function closesName(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (before === "." || before === "/") return WORD.test(after);
  if (after === "(") return WORD.test(before);
  return (after === "." || after === "/" || after === ":") && WORD.test(before) && WORD.test(text[end + 1] ?? " ");
}
