// Which elements of two lists differ. Myers' algorithm where the lists are close; where they are not, they are first cut
// at elements that occur once in both. The work is bounded: what is left when it runs out counts as changed.

export interface ListEdits {
  /** 1 for each element that is not in the other list. */
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
}

const CLOSE = 300;
const FAR = 1500;
const WORK = 20_000_000;

export function listEdits(before: readonly string[], after: readonly string[]): ListEdits {
  const ids = new Map<string, number>();
  const numbers = (list: readonly string[]) =>
    Int32Array.from(list, (element) => {
      let id = ids.get(element);
      if (id === undefined) ids.set(element, (id = ids.size));
      return id;
    });
  const comparison = new Comparison(numbers(before), numbers(after));
  comparison.compare(0, before.length, 0, after.length, 0);
  return { removed: comparison.removed, added: comparison.added };
}

class Comparison {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  #work = WORK;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
    this.removed = new Uint8Array(a.length);
    this.added = new Uint8Array(b.length);
  }

  compare(aFrom: number, aTo: number, bFrom: number, bTo: number, depth: number): void {
    while (aFrom < aTo && bFrom < bTo && this.#a[aFrom] === this.#b[bFrom]) {
      aFrom++;
      bFrom++;
    }
    while (aFrom < aTo && bFrom < bTo && this.#a[aTo - 1] === this.#b[bTo - 1]) {
      aTo--;
      bTo--;
    }
    if (aFrom === aTo || bFrom === bTo || depth > 20) {
      this.#change(aFrom, aTo, bFrom, bTo);
      return;
    }
    if (this.#myers(aFrom, aTo, bFrom, bTo, CLOSE)) return;
    const anchors = this.#anchors(aFrom, aTo, bFrom, bTo);
    if (anchors.length === 0) {
      if (!this.#myers(aFrom, aTo, bFrom, bTo, FAR)) this.#change(aFrom, aTo, bFrom, bTo);
      return;
    }
    for (const [a, b] of anchors) {
      this.compare(aFrom, a, bFrom, b, depth + 1);
      aFrom = a + 1;
      bFrom = b + 1;
    }
    this.compare(aFrom, aTo, bFrom, bTo, depth + 1);
  }

  #change(aFrom: number, aTo: number, bFrom: number, bTo: number): void {
    this.removed.fill(1, aFrom, aTo);
    this.added.fill(1, bFrom, bTo);
  }

  /** False if there are more than `limit` edits, or the work ran out. */
  #myers(aFrom: number, aTo: number, bFrom: number, bTo: number, limit: number): boolean {
    const n = aTo - aFrom;
    const m = bTo - bFrom;
    const max = Math.min(n + m, limit);
    const furthest = new Int32Array(2 * max + 3);
    const center = max + 1;
    const trace: Int32Array[] = [];
    for (let d = 0; d <= max; d++) {
      trace.push(furthest.slice(center - d - 1, center + d + 2));
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && furthest[center + k - 1]! < furthest[center + k + 1]!);
        let x = down ? furthest[center + k + 1]! : furthest[center + k - 1]! + 1;
        const from = x;
        while (x < n && x - k < m && this.#a[aFrom + x] === this.#b[bFrom + x - k]) x++;
        furthest[center + k] = x;
        this.#work -= x - from + 1;
        if (x >= n && x - k >= m) {
          this.#walkBack(trace, n, m, aFrom, bFrom);
          return true;
        }
      }
      if (this.#work < 0) return false;
    }
    return false;
  }

  #walkBack(trace: readonly Int32Array[], n: number, m: number, aFrom: number, bFrom: number): void {
    let x = n;
    let y = m;
    for (let d = trace.length - 1; d > 0; d--) {
      const furthest = trace[d]!;
      const at = (k: number) => furthest[k + d + 1]!;
      const k = x - y;
      const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
      const previous = down ? k + 1 : k - 1;
      x = at(previous);
      y = x - previous;
      if (down) this.added[bFrom + y] = 1;
      else this.removed[aFrom + x] = 1;
    }
  }

  /** Elements that occur once in both, in the longest order they share. */
  #anchors(aFrom: number, aTo: number, bFrom: number, bTo: number): readonly (readonly [number, number])[] {
    const inA = once(this.#a, aFrom, aTo);
    const inB = once(this.#b, bFrom, bTo);
    const pairs: { readonly a: number; readonly b: number; before: number }[] = [];
    for (const [id, a] of inA) {
      const b = inB.get(id);
      if (a >= 0 && b !== undefined && b >= 0) pairs.push({ a, b, before: -1 });
    }
    pairs.sort((one, other) => one.a - other.a);
    // The longest increasing run of places in b: tops[i] ends the best run of i + 1 pairs.
    const tops: number[] = [];
    for (const [at, pair] of pairs.entries()) {
      let low = 0;
      let high = tops.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[tops[middle]!]!.b < pair.b) low = middle + 1;
        else high = middle;
      }
      pair.before = low > 0 ? tops[low - 1]! : -1;
      tops[low] = at;
    }
    const run: (readonly [number, number])[] = [];
    for (let at = tops.at(-1) ?? -1; at >= 0; at = pairs[at]!.before) run.push([pairs[at]!.a, pairs[at]!.b]);
    return run.reverse();
  }
}

/** Where each element is; -1 for those that occur more than once. */
function once(list: Int32Array, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) places.set(list[at]!, places.has(list[at]!) ? -1 : at);
  return places;
}
