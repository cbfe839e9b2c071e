// Makes text from elsewhere harmless: what a terminal would obey is shown instead.

import { OBEYED_BY_TERMINALS } from "@keelson/protocol/terminal-text";

/** Text that needs no further look. */
// oxlint-disable-next-line no-control-regex
const PLAIN =
  /^[\n\t\x20-\x7e\u00a1-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u27ff\u3001-\u3029\u3041-\u3096\u30a1-\ud7a3]*$/;

/** Invisible on its own: joins, combining marks. More of them than any script needs hide text or stall a terminal. */
const FLOOD = /[\p{Mn}\p{Me}\u00ad\u200b-\u200d\u2060-\u2064]{17,}/gu;
const MOST_MARKS = 16;

/** Keeps tabs and newlines; `\r\n` becomes `\n`. Nothing else that a terminal obeys is left. */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  return lines.toWellFormed().replace(OBEYED_BY_TERMINALS, shown).replace(FLOOD, shortened);
}

/** For one row: newlines become visible, too, and tabs become spaces. */
export function cleanRow(text: string): string {
  return clean(text).replaceAll("\n", "⏎").replaceAll("\t", "  ");
}

function shown(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function shortened(run: string): string {
  const marks = [...run];
  return `${marks.slice(0, MOST_MARKS).join("")}<+${marks.length - MOST_MARKS} marks>`;
}
