// Suggestions at the end of error messages: the word that was probably meant, or how to send the words as a prompt.

import type * as NearestWord from "@keelson/protocol/nearest-word";

/** The closest known word, if it is close enough to suggest. Loaded on first use: only error messages need it. */
export function nearest(word: string, known: readonly string[], most?: number): string | undefined {
  return (require("@keelson/protocol/nearest-word") as typeof NearestWord).nearestWord(word, known, most);
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
