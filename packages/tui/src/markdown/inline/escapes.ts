// Backslashes and entities. Fewer than in the standard, so that paths and patterns keep their characters.

const ESCAPABLE = "\\`*_[]<>~|#";

/** What the backslash at `at` and the characters behind it mean. */
export function escapeAt(text: string, at: number): { readonly text: string; readonly length: number } {
  const next = text[at + 1];
  // At the end of a line it only says that the break is meant, and breaks are kept anyway.
  if (next === "\n") return { text: "", length: 1 };
  const path = windowsPathLength(text, at);
  if (path > 0) return { text: text.slice(at, at + path), length: path };
  if (next !== undefined && (ESCAPABLE.includes(next) || isListSign(text, at, next))) return { text: next, length: 2 };
  return { text: "\\", length: 1 };
}

/** Only these: others could become characters that a terminal obeys. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&apos;": "'",
  "&nbsp;": " ",
};

/** What the `&` at `at` and the characters behind it mean. */
export function entityAt(text: string, at: number): { readonly text: string; readonly length: number } {
  const ahead = text.slice(at, at + 8);
  const name = ahead.slice(0, ahead.indexOf(";") + 1);
  const character = ENTITIES[name];
  return character === undefined ? { text: "&", length: 1 } : { text: character, length: name.length };
}

/** `1\.` and `\- ` are written to avoid a list. */
function isListSign(text: string, at: number, next: string): boolean {
  const before = at === 0 ? "\n" : text[at - 1]!;
  if (next === "." || next === ")") return /\d/.test(before);
  return (next === "-" || next === "+") && /\s/.test(before);
}

const WINDOWS_PATH = /\\[^\s`]{0,1000}/y;

/** The length of the rest of `C:\a\b` or `\\server\share` from the backslash at `at`; 0 if there is none. */
function windowsPathLength(text: string, at: number): number {
  const drive = /[A-Za-z]/.test(text[at - 2] ?? "") && text[at - 1] === ":" && !/\w/.test(text[at - 3] ?? "");
  const share = text[at + 1] === "\\" && /\w/.test(text[at + 2] ?? "") && !/\S/.test(text[at - 1] ?? " ");
  if (!drive && !share) return 0;
  WINDOWS_PATH.lastIndex = at;
  let length = WINDOWS_PATH.exec(text)?.[0].length ?? 0;
  while (length > 1 && "*_~.,;:!?)]".includes(text[at + length - 1]!)) length--;
  return length;
}
