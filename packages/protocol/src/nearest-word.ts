// Finds the word that was probably meant. Pure.

/** The closest known word, if it is close enough to suggest: at most `most` edits, and mostly the same letters. */
export function nearestWord(word: string, known: readonly string[], most = 3): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const length = Math.max(word.length, name.length);
    if (Math.abs(word.length - name.length) > most) continue;
    const distance = edits(word.toLowerCase(), name.toLowerCase());
    const isClose = distance <= most && (length - distance) / length > 0.4;
    if (isClose && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Insertions, deletions, replacements and swaps of neighbors between two words. */
function edits(from: string, to: string): number {
  let above: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[at - 1] === to[column - 1] ? 0 : 1);
      const isSwap = at > 1 && column > 1 && from[at - 1] === to[column - 2] && from[at - 2] === to[column - 1];
      const swapped = isSwap ? above[column - 2]! + 1 : replaced;
      next.push(Math.min(replaced, swapped, row[column]! + 1, next[column - 1]! + 1));
    }
    above = row;
    row = next;
  }
  return row[to.length]!;
}
