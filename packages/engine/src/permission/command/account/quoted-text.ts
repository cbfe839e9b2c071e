// Quoted forms whose text is fixed: `$'…'`, and a here-document printed by `$(cat <<'END' …)`.

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const ESCAPE = /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/g;

/**
 * The text between `$'` and `'`. Undefined where shells disagree: null characters, bytes that are not characters, `\c`.
 */
export function ansiText(raw: string): string | undefined {
  let doubtful = false;
  let counted = 0;
  const value = raw.replace(
    ESCAPE,
    (whole: string, letter?: string, octal?: string, ...hex: (string | undefined)[]) => {
      counted += whole.startsWith("\\\\") ? 2 : 1;
      if (letter !== undefined) return ESCAPES[letter]!;
      const code = octal === undefined ? parseInt(hex[0] ?? hex[1] ?? hex[2]!, 16) : parseInt(octal, 8);
      const isByte = octal !== undefined || hex[0] !== undefined;
      if (code === 0 || code > (isByte ? 0x7f : 0x10ffff)) doubtful = true;
      return doubtful ? "" : String.fromCodePoint(code);
    },
  );
  const backslashes = raw.length - raw.replaceAll("\\", "").length;
  return doubtful || counted !== backslashes ? undefined : value;
}

/**
 * The text of `$(cat <<'END' … END)`, which is how long commit messages are written. Undefined for any other
 * substitution.
 */
export function constantText(substitution: string): string | undefined {
  const opening = /^\$\([ \t]*cat[ \t]*<<[ \t]*(?:'(\w+)'|"(\w+)"|\\(\w+))[ \t]*\n/.exec(substitution);
  if (opening === null) return undefined;
  const mark = opening[1] ?? opening[2] ?? opening[3]!;
  // If there is no text at all, the newline that ends the first line also starts the line with the delimiter.
  const body = substitution.slice(opening[0].length - 1);
  const end = body.indexOf(`\n${mark}\n`);
  if (end < 0 || !/^\s*\)$/.test(body.slice(end + mark.length + 2))) return undefined;
  return body.slice(1, Math.max(end, 1)).replace(/\n+$/, "");
}
