// Which of the known words a mistyped one was probably meant to be.

/** The closest by edits, if it is close enough to be worth suggesting: at most three edits, and mostly the same. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const length = Math.max(word.length, name.length);
    if (Math.abs(word.length - name.length) > MOST_EDITS) continue;
    const distance = edits(word.toLowerCase(), name.toLowerCase());
    const isClose = distance <= MOST_EDITS && (length - distance) / length > 0.4;
    if (isClose && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

const MOST_EDITS = 3;

/** Insertions, deletions and replacements between two words. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[at - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
