// Which escape sequences the program itself writes. Anything else came from outside and would be obeyed.

// oxlint-disable-next-line no-control-regex
const OWN = new RegExp(
  [
    // Colors and styles, cursor, erasing, and what is asked.
    "\\x1b\\[[\\d;:]*[mABCDGHJKr]",
    "\\x1b\\[6n",
    "\\x1b\\[\\?(?:7|25|1000|1002|1003|1004|1006|1049|2004|2026|2031)[hl]",
    "\\x1b\\[>0q|\\x1b\\[\\?u|\\x1b\\[>c|\\x1b\\]11;\\?\\x1b\\\\",
    "\\x1b\\[>5u|\\x1b\\[=26;[23]u|\\x1b\\[<u|\\x1b\\[>4;1m|\\x1b\\[>4m",
    "\\x1b7|\\x1b8|\\x1b\\(B|\\x0f",
    // Title, clipboard by a command of the user, hyperlinks.
    "\\x1b\\]0;[^\\x00-\\x1f\\x7f-\\x9f]*\\x07",
    "\\x1b\\]52;c;[A-Za-z0-9+/=]*\\x07",
    "\\x1b\\]8;[\\w=:-]*;[\\x21-\\x7e]*\\x1b\\\\",
  ].join("|"),
  "g",
);

/** What a terminal would obey and the program does not make, with some text around. The plain screen goes back by `\b`. */
export function foreignSequences(bytes: string, { plain = false } = {}): readonly string[] {
  const own = bytes.replace(OWN, "");
  const rest = plain ? own.replaceAll("\b", "") : own;
  // oxlint-disable-next-line no-control-regex
  const found = rest.matchAll(/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g);
  return [...found].map(({ index }) => JSON.stringify(rest.slice(Math.max(0, index - 20), index + 30)));
}
