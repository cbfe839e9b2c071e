// How two agents show the same conversation differently: a name for each difference.

import type { Shown } from "./shown.ts";

export interface Difference {
  /** Such as "only ours: usage" or "call Read: title". */
  readonly name: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

export function differencesOf(ours: readonly Shown[], theirs: readonly Shown[], when = ""): readonly Difference[] {
  return aligned(ours, theirs).flatMap(([own, other]): Difference[] => {
    if (own === undefined) return [{ name: `${when}only the adapter: ${keyOf(other!)}`, ours: own, theirs: other }];
    if (other === undefined) return [{ name: `${when}only ours: ${keyOf(own)}`, ours: own, theirs: other }];
    const fields = new Set([...Object.keys(own), ...Object.keys(other)]);
    return [...fields]
      .filter((field) => !Bun.deepEquals(own[field], other[field]))
      .map((field) => ({ name: `${when}${keyOf(own)}: ${field}`, ours: own[field], theirs: other[field] }));
  });
}

const keyOf = ({ kind, name }: Shown) => (name === undefined ? kind : `${kind} ${name}`);

type Pair = readonly [Shown | undefined, Shown | undefined];

/** The longest sequence that both have, with what only one has between. */
function aligned(ours: readonly Shown[], theirs: readonly Shown[]): readonly Pair[] {
  const length = Array.from({ length: ours.length + 1 }, () => new Array<number>(theirs.length + 1).fill(0));
  const isSame = (a: number, b: number) => keyOf(ours[a]!) === keyOf(theirs[b]!);
  for (let a = ours.length - 1; a >= 0; a--)
    for (let b = theirs.length - 1; b >= 0; b--)
      length[a]![b] = isSame(a, b) ? 1 + length[a + 1]![b + 1]! : Math.max(length[a + 1]![b]!, length[a]![b + 1]!);
  const pairs: Pair[] = [];
  let [a, b] = [0, 0];
  while (a < ours.length || b < theirs.length) {
    if (a < ours.length && b < theirs.length && isSame(a, b)) pairs.push([ours[a++], theirs[b++]]);
    else if (b >= theirs.length || (a < ours.length && length[a + 1]![b]! >= length[a]![b + 1]!))
      pairs.push([ours[a++], undefined]);
    else pairs.push([undefined, theirs[b++]]);
  }
  return pairs;
}
