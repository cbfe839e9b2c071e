// Names for plans: three plain words, easy to say and to find again. Randomness comes in as an argument.

const FIRST = "calm clear cold deep dry early even fair fast fine firm fresh green keen kind late light mild new".split(
  " ",
);
const SECOND = "amber ash birch cedar chalk clay copper coral fern flint ivory jade maple moss oak pearl pine slate".split(
  " ",
);
const THIRD =
  "anchor beacon bridge brook canyon compass delta ferry field harbor island lantern ledge meadow mill ridge".split(" ");

/** `random` gives numbers from 0 up to, not including, 1. A name that is taken gets a number. */
export function newPlanName(random: () => number, isTaken: (name: string) => boolean): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)]!;
  const name = [FIRST, SECOND, THIRD].map(pick).join("-");
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** Whether a transcript may name its plan like this: it becomes part of a path. */
export const isPlanName = (name: unknown): name is string =>
  typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,99}$/.test(name);
