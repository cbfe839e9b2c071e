// Pairs the runs of `*`, `_` and `~` that were found in a text, as the standard does it: each closer takes the nearest
// opener, and looks back no further than it must, so the cost is linear.

export type EmphasisMark = "bold" | "italic" | "strike";

export const EMPHASIS_MARKS: readonly EmphasisMark[] = ["bold", "italic", "strike"];

/** The text of a run, and what it switches before and after it. */
export interface EmphasisToken {
  text: string;
  off?: EmphasisMark[];
  on?: EmphasisMark[];
}

export interface DelimiterRun {
  readonly token: EmphasisToken;
  readonly character: string;
  readonly length: number;
  /** How many of its characters have no partner yet. */
  left: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

/** Pairs the runs from `bottom` on and removes them. Returns those that are still open. */
export function pairDelimiters(runs: DelimiterRun[], bottom: number): readonly DelimiterRun[] {
  const open: DelimiterRun[] = [];
  // For each kind of closer: below this height of the stack there is no opener for it.
  const floors = new Map<string, number>();
  for (let at = bottom; at < runs.length; at++) {
    const closer = runs[at]!;
    while (closer.closes && closer.left > 0) {
      const kind = `${closer.character}${closer.opens}${closer.length % 3}`;
      const floor = floors.get(kind) ?? 0;
      let found = open.length - 1;
      while (found >= floor && !canPair(open[found]!, closer)) found--;
      if (found < floor) {
        floors.set(kind, open.length);
        break;
      }
      pair(open[found]!, closer);
      open.length = open[found]!.left > 0 ? found + 1 : found;
      for (const [other, height] of floors) if (height > open.length) floors.set(other, open.length);
    }
    if (closer.opens && closer.left > 0) open.push(closer);
  }
  runs.length = bottom;
  return open;
}

/** Lets what is open apply up to the end of the text. */
export function leaveOpen(open: readonly DelimiterRun[], last: EmphasisToken | undefined): void {
  for (const { token, left, character } of open) {
    if (left > 2 || token === last) continue;
    (token.on ??= []).push(character === "~" ? "strike" : left === 2 ? "bold" : "italic");
    token.text = "";
  }
}

function canPair(opener: DelimiterRun, closer: DelimiterRun): boolean {
  if (opener.character !== closer.character) return false;
  if (!opener.closes && !closer.opens) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function pair(opener: DelimiterRun, closer: DelimiterRun): void {
  const strong = opener.left >= 2 && closer.left >= 2;
  const mark: EmphasisMark = closer.character === "~" ? "strike" : strong ? "bold" : "italic";
  (opener.token.on ??= []).push(mark);
  (closer.token.off ??= []).push(mark);
  for (const run of [opener, closer]) {
    run.left -= strong ? 2 : 1;
    run.token.text = run.character.repeat(run.left);
  }
}
