// Which parts of two lines differ, by words.

import { listEdits } from "./list-edits.ts";

export interface ChangedRange {
  readonly from: number;
  readonly to: number;
}

const MAX_LENGTH = 5000;
/** Lines that share less than this have changed as a whole; marking nearly all of their words says nothing. */
const MIN_SHARED = 0.35;

export function changedWords(
  before: string,
  after: string,
): { readonly before: readonly ChangedRange[]; readonly after: readonly ChangedRange[] } | undefined {
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return undefined;
  const a = before.match(WORDS) ?? [];
  const b = after.match(WORDS) ?? [];
  const { removed, added } = listEdits(a, b);
  let shared = 0;
  for (const [at, word] of a.entries()) if (!removed[at] && word.trim() !== "") shared += word.length;
  const longest = Math.max(before.replaceAll(" ", "").length, after.replaceAll(" ", "").length);
  if (longest === 0 || shared / longest < MIN_SHARED) return undefined;
  return { before: ranges(a, removed), after: ranges(b, added) };
}

const WORDS = /[\p{L}\p{N}_]+|\s+|[^\s\p{L}\p{N}_]/gu;

/** Changed words with only space between them are one range. */
function ranges(words: readonly string[], changed: Uint8Array): readonly ChangedRange[] {
  const found: { from: number; to: number }[] = [];
  let at = 0;
  let spaceSince: number | undefined;
  for (const [index, word] of words.entries()) {
    const last = found.at(-1);
    if (changed[index]) {
      if (last && (last.to === at || spaceSince === last.to)) last.to = at + word.length;
      else found.push({ from: at, to: at + word.length });
      spaceSince = undefined;
    } else spaceSince = word.trim() === "" && last?.to === at ? at : undefined;
    at += word.length;
  }
  return found;
}
