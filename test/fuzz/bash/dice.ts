// Repeatable chance for generators: the same seed gives the same sentences on every machine.

export interface Dice {
  /** A whole number from 0 to `below` - 1. */
  roll(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Strange pieces this sentence may still contain; generators that add one take it from here. */
  spice: number;
  /** True now and then while there is spice left, and takes some. */
  strange(share: number): boolean;
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const dice: Dice = {
    roll: (below) => Math.floor(next() * below),
    chance: (share) => next() < share,
    pick: (from) => from[Math.floor(next() * from.length)]!,
    spice: 0,
    strange(share) {
      if (dice.spice <= 0 || next() >= share) return false;
      dice.spice--;
      return true;
    },
  };
  return dice;
}

/** A list as it reads best in a table. */
export const list = (text: string): string[] => text.trim().split(/\s+/);

/** One entry for each line, indentation removed. `⏎`, `⇥` and `␍` stand for the characters they show. */
export const lines = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll("⏎", "\n").replaceAll("⇥", "\t").replaceAll("␍", "\r"));
