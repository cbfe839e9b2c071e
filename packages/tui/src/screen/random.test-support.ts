// The same numbers for the same seed.

/** Whole numbers, both ends included. */
export function randomOf(seed: number): (from: number, to: number) => number {
  let state = seed * 7919;
  return (from, to) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}
