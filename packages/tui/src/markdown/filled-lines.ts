// Line breaks in a paragraph. Models break lines where they mean it, so breaks are kept. Only texts that were filled up to a
// margin, such as files, are joined to be filled again.

const MIN_MARGIN = 60;
const MAX_MARGIN = 130;

export function joinFilledLines(text: string): string {
  if (!text.includes("\n")) return text.trimEnd();
  const lines = text.split("\n");
  let margin = 0;
  for (const line of lines) margin = Math.max(margin, line.length);
  const filled = margin >= MIN_MARGIN && margin <= MAX_MARGIN;
  const parts: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (at > 0) parts.push(filled && isFilled(lines[at - 1]!, line, margin) ? " " : "\n");
    parts.push(line.trimEnd());
  }
  return parts.join("").trimEnd();
}

/** Whether a line was broken only because the next word did not fit. */
function isFilled(line: string, next: string, margin: number): boolean {
  if (line.endsWith("  ") || line.endsWith("\\")) return false;
  const space = next.indexOf(" ");
  const word = space === -1 ? next.length : space;
  if (line.trimEnd().length + 1 + word <= margin) return false;
  return !/[.:;!?]$/.test(line) || /^\p{Ll}/u.test(next);
}
