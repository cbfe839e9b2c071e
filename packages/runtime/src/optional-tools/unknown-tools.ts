// Warns about words in `--tools` that name no tool. Names of tools that other sessions have are no mistake: clients use
// one list for all of their sessions.

import type { Tool } from "@keelson/engine";
import type * as NearestWord from "@keelson/protocol/nearest-word";

export function warnOfUnknownTools(named: readonly string[], all: readonly Tool[], warn: (text: string) => void): void {
  const known = all.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  for (const word of named.filter((each) => each !== "default" && !known.includes(each))) {
    const close = nearest(word, known);
    if (close !== undefined) warn(`--tools: there is no tool "${word}"; did you mean "${close}"?`);
    else if (!/^(?:[A-Z]\w*|mcp__.*)$/.test(word)) warn(`--tools: there is no tool "${word}"`);
  }
}

/** Loaded only if a word names no tool. At most two letters differ: some names of tools are alike. */
const nearest = (word: string, names: readonly string[]) =>
  (require("@keelson/protocol/nearest-word") as typeof NearestWord).nearestWord(word, names, 2);
