// Text from elsewhere for a terminal: everything that it would obey, or that changes the order of what is read, spelled
// out. Pure.

/**
 * C0 except tab and newline, DEL, C1, the marks that change the direction of text, line and paragraph separators, and
 * characters that are invisible but can carry a hidden message (tags, extra variation selectors).
 */
export const OBEYED_BY_TERMINALS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Spelled as in JSON, so that JSON stays what it is: `\u001b`. Lines may end in `\r\n`, but nothing may return. */
export function escapeForTerminal(text: string): string {
  const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  return lines.toWellFormed().replace(OBEYED_BY_TERMINALS, spelled);
}

function spelled(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
