// How bash 3.2, which is the bash of macOS, finds the end of a substitution: it counts brackets and quotes, also those in
// a here-document, a pattern of `case` or a comment, and does not read the commands. What it takes for the rest of the
// line may then be a command that no one has judged.

/** Whether bash 3.2 ends `$(…)`, `<(…)` or `>(…)` where newer versions do. */
export function endsAlike(substitution: string): boolean {
  const start = substitution.indexOf("(") + 1;
  // It skips comments or counts what is in them, depending on the quotes around the substitution.
  return [true, false].every((comments) => bracketEnd(substitution, start, comments) === substitution.length);
}

/** The position after the bracket that closes this one; the length of the text plus one if there is none. */
function bracketEnd(text: string, start: number, comments: boolean): number {
  let open = 1;
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    const isDollar = at > start && text[at - 1] === "$";
    at++;
    if (character === "(") open++;
    else if (character === ")" && --open === 0) return at;
    else if (character === "\\") at++;
    else if (character === "'" || character === '"' || character === "`") at = quoteEnd(text, at, character, isDollar);
    else if (comments && character === "#" && (at - 1 === start || /\s/.test(text[at - 2]!))) {
      const line = text.indexOf("\n", at);
      at = line < 0 ? text.length + 1 : line + 1;
    }
  }
  return text.length + 1;
}

function quoteEnd(text: string, start: number, quote: string, isDollar: boolean): number {
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    const next = text[at + 1];
    at++;
    if (character === quote) return at;
    if (character === "\\" && (quote !== "'" || isDollar)) at++;
    if (quote !== '"') continue;
    if (character === "`") at = quoteEnd(text, at, "`", false);
    else if (character === "$" && next === "(") at = bracketEnd(text, at + 1, false);
    else if (character === "$" && next === "{") at = braceEnd(text, at + 1);
  }
  return text.length + 1;
}

function braceEnd(text: string, start: number): number {
  let open = 1;
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    const isDollar = text[at - 1] === "$";
    at++;
    if (character === "{" && isDollar) open++;
    else if (character === "}" && --open === 0) return at;
    else if (character === "\\") at++;
    else if (character === "'" || character === '"' || character === "`") at = quoteEnd(text, at, character, isDollar);
  }
  return text.length + 1;
}
