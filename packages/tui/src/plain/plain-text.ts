// Rows without what only eyes can use: colors, frames, rules.

/** A rule, or the upper or lower edge of a frame. */
const RULE = /^[\s\u2500-\u257f\u2581-\u258f\u2594-\u259f]+$/;
const EDGES = /^[\u2500-\u257f]+ ?| ?[\u2500-\u257f]+$/g;

/** The rows that say something, as text. */
export function plainRows(rows: readonly string[]): string[] {
  return rows.flatMap((row) => {
    const text = Bun.stripANSI(row).trimEnd();
    if (text !== "" && RULE.test(text)) return [];
    return text.replace(EDGES, "").trimEnd();
  });
}

/** Rows to say again when a dialog changed: those that are new or marked now, not those that lost their mark. */
export function changedRows(before: readonly string[], after: readonly string[]): readonly string[] {
  if (before.length !== after.length) return after;
  const changed = after.filter((row, at) => row !== before[at]);
  const marked = changed.filter((row) => /^\s*[❯›>●◉☑✔*]/.test(row));
  return marked.length > 0 ? marked : changed;
}
