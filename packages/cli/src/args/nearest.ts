// Suggestions at the end of error messages: the word that was probably meant, or how to send the words as a prompt.

/** The closest known word, if it is close enough to suggest: at most `most` edits, and mostly the same letters. */
export function nearest(word: string, known: readonly string[], most = 3): string | undefined {
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

/** `; did you mean "config"?`, or nothing, to put after an error message. */
export function didYouMean(word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  return close === undefined ? "" : `; did you mean "${close}"?`;
}

/** `a, b or c` */
export function eitherOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Tells people how to send words as a prompt that were taken for a command. */
export const asPrompt = (words: readonly string[]) =>
  `To send it as a prompt: keelson -p '${words.join(" ").replaceAll("'", `'\\''`)}'`;

/** What could be the prompt in `update the readme --verbose`. */
export function wordsBeforeFlags(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end < 0 ? argv : argv.slice(0, end);
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
