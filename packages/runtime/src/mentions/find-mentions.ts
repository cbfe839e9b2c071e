// Finds `@path` in a text: `@file`, `@folder/`, `@file#L1-20`, `@"a path with blanks"`. Pure; whether such a file exists
// is for the caller to find out.

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

export interface Mention {
  /** What it may mean, most literal first: the punctuation after it can belong to the sentence. */
  readonly readings: readonly MentionReading[];
}

export interface MentionReading {
  readonly path: string;
  readonly lines?: LineSpan;
}

/**
 * After these, an `@` starts a mention: `a@b.org` is an address. The look-ahead takes all of a bare path at once, so that
 * a long text without blanks is not tried at every length.
 */
const MENTION = /(?<=^|[\s([{])@(?:"([^"\n]{1,1000})"(#L\d{1,9}(?:-L?\d{1,9})?)?|(?=([^\s"]{1,1000}))\3(?!\S))/g;
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;
const CLOSING = /[.,;:!?)\]}>'`]+$/;

/** At most `most` of them, each once. */
export function findMentions(text: string, most: number): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [whole, quoted, lines = "", bare] of text.matchAll(MENTION)) {
    if (found.size === most) break;
    if (found.has(whole)) continue;
    const readings = quoted === undefined ? bareReadings(bare!) : [reading(`${quoted}${lines}`)];
    found.set(whole, { readings });
  }
  return [...found.values()];
}

function bareReadings(text: string): readonly MentionReading[] {
  const inner = text.replace(CLOSING, "");
  const texts = [text, inner, inner.replace(/#.*$/, "")];
  return [...new Set(texts)].filter((each) => each !== "").map(reading);
}

function reading(text: string): MentionReading {
  const [suffix, from, to = from] = LINES.exec(text) ?? [];
  if (suffix === undefined || suffix === text) return { path: text };
  const ends = [Number(from), Number(to)].map((line) => Math.max(1, line));
  return { path: text.slice(0, -suffix.length), lines: { first: Math.min(...ends), last: Math.max(...ends) } };
}
