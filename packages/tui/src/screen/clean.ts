// Makes text from elsewhere harmless: what a terminal would obey is shown instead.

/** C0 except tab and newline, DEL, C1, and the marks that change the direction of text. */
// oxlint-disable-next-line no-control-regex
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\ufff9-\ufffb]/g;

/** Keeps tabs and newlines; `\r\n` becomes `\n`. Nothing else that a terminal obeys is left. */
export function clean(text: string): string {
  return UNSAFE.test(text) ? text.replaceAll("\r\n", "\n").replace(UNSAFE, shown) : text;
}

/** For one row: newlines become visible, too, and tabs become spaces. */
export function cleanRow(text: string): string {
  return clean(text).replaceAll("\n", "⏎").replaceAll("\t", "  ");
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
