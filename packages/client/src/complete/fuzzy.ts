// Ranks paths and names by how well they match what was typed. Fast enough for 50,000 paths at each key.

/** A text that is searched, prepared once. */
interface Prepared {
  readonly text: string;
  readonly lower: string;
  /** Which characters occur in it: most texts are ruled out by this alone. */
  readonly mask: number;
  /** Where the last part of a path starts. */
  readonly base: number;
}

export class FuzzyIndex {
  readonly #entries: readonly Prepared[];
  /** The last search: what a longer query matches is among it. */
  #last: { query: string; entries: readonly Prepared[] } | undefined;

  constructor(texts: readonly string[]) {
    this.#entries = texts.map(prepare);
  }

  /** The best matches, best first. An empty query gives the first texts. */
  search(query: string, limit: number): string[] {
    const lower = query.toLowerCase().replaceAll(" ", "");
    if (lower === "") return this.#entries.slice(0, limit).map(({ text }) => text);
    const among = this.#last && lower.startsWith(this.#last.query) ? this.#last.entries : this.#entries;
    const mask = maskOf(lower);
    const matching: Prepared[] = [];
    const best: { text: string; score: number }[] = [];
    for (const entry of among) {
      if ((entry.mask & mask) !== mask) continue;
      const score = scoreOf(lower, entry);
      if (score === undefined) continue;
      matching.push(entry);
      keepBest(best, { text: entry.text, score }, limit);
    }
    this.#last = { query: lower, entries: matching };
    return best.map(({ text }) => text);
  }
}

/** How well a text matches; undefined if the characters do not occur in this order. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const lower = query.toLowerCase().replaceAll(" ", "");
  return lower === "" ? 0 : scoreOf(lower, prepare(text));
}

function scoreOf(query: string, { text, lower, base }: Prepared): number | undefined {
  const whole = bestOccurrence(query, lower, base);
  if (whole !== -1) {
    const end = whole + query.length;
    let score = 1_000 + (isStart(text, whole) ? 300 : 0) + (whole >= base ? 200 : 0);
    if (whole === base) score += 200;
    if (end === lower.length || lower[end] === ".") score += 100;
    return score - lower.length;
  }
  // From the end, so that the file name is matched before its folders.
  let at = lower.length;
  let score = 0;
  for (let index = query.length - 1; index >= 0; index -= 1) {
    const character = query[index]!;
    const previous = at;
    at = at === 0 ? -1 : lower.lastIndexOf(character, at - 1);
    if (at === -1) return undefined;
    // The start of a word is a better place, if what comes before still fits.
    const start = wordStartBefore(text, lower, character, at, query, index);
    if (start !== undefined && previous !== at + 1) at = start;
    score += previous === at + 1 ? 20 : 0;
    score += isStart(text, at) ? 30 : 0;
    score += at >= base ? 10 : 0;
  }
  return score - lower.length / 4;
}

/** In the last part of a path if it is there, at the start of a word if possible. */
function bestOccurrence(query: string, lower: string, base: number): number {
  const inBase = lower.indexOf(query, base);
  return inBase === -1 ? lower.lastIndexOf(query) : inBase;
}

function wordStartBefore(
  text: string,
  lower: string,
  character: string,
  from: number,
  query: string,
  index: number,
): number | undefined {
  if (isStart(text, from)) return from;
  for (
    let at = lower.lastIndexOf(character, from);
    at !== -1;
    at = at === 0 ? -1 : lower.lastIndexOf(character, at - 1)
  ) {
    if (from - at > 40) return undefined;
    if (isStart(text, at)) return isSubsequence(query, index, lower, at) ? at : undefined;
  }
  return undefined;
}

/** Whether the first characters of the query occur before a place. */
function isSubsequence(query: string, count: number, lower: string, end: number): boolean {
  let at = end;
  for (let index = count - 1; index >= 0; index -= 1) {
    at = at === 0 ? -1 : lower.lastIndexOf(query[index]!, at - 1);
    if (at === -1) return false;
  }
  return true;
}

/** Whether a word starts here: after a separator, or with a capital. */
function isStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  // / \ - _ . : and space
  if (
    before === 47 ||
    before === 92 ||
    before === 45 ||
    before === 95 ||
    before === 46 ||
    before === 58 ||
    before === 32
  ) {
    return true;
  }
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90 && before >= 97 && before <= 122;
}

function keepBest(
  best: { text: string; score: number }[],
  entry: { text: string; score: number },
  limit: number,
): void {
  const last = best.at(-1);
  if (best.length >= limit && last && last.score >= entry.score) return;
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < entry.score) at -= 1;
  best.splice(at, 0, entry);
  if (best.length > limit) best.pop();
}

function prepare(text: string): Prepared {
  const lower = text.toLowerCase();
  // A folder ends in a slash: its name is what comes before.
  return { text, lower, mask: maskOf(lower), base: lower.lastIndexOf("/", lower.length - 2) + 1 };
}

function maskOf(lower: string): number {
  let mask = 0;
  for (let at = 0; at < lower.length; at += 1) {
    const code = lower.charCodeAt(at);
    mask |= code >= 97 && code <= 122 ? 1 << (code - 97) : 1 << (26 + (code % 6));
  }
  return mask;
}
