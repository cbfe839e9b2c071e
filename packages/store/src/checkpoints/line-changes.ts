// Counts the lines that differ between two texts, as diff does. Pure. Estimates if there are very many.

export interface LineChanges {
  readonly insertions: number;
  readonly deletions: number;
}

/** The exact count takes the square of this many steps. */
const MOST_STEPS = 2_000;

export function lineChanges(before: Uint8Array, after: Uint8Array): LineChanges {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--;
    nowEnd--;
  }
  const [a, b] = [old.slice(start, oldEnd), now.slice(start, nowEnd)];
  const steps = a.length === 0 || b.length === 0 ? a.length + b.length : (shortest(a, b) ?? estimate(a, b));
  // `steps` is insertions plus deletions; the lengths give their difference.
  return { insertions: (steps + b.length - a.length) / 2, deletions: (steps + a.length - b.length) / 2 };
}

function linesOf(bytes: Uint8Array): string[] {
  if (bytes.length === 0) return [];
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Myers' greedy search for the length of the shortest edit script. */
function shortest(a: readonly string[], b: readonly string[]): number | undefined {
  const most = Math.min(a.length + b.length, MOST_STEPS);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let steps = 0; steps <= most; steps++) {
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const at = middle + diagonal;
      const down = diagonal === -steps || (diagonal !== steps && reach[at - 1]! < reach[at + 1]!);
      let x = down ? reach[at + 1]! : reach[at - 1]! + 1;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach[at] = x;
      if (x >= a.length && y >= b.length) return steps;
    }
  }
  return undefined;
}

/** Counts lines that are only on one side, in any order. */
function estimate(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  let same = 0;
  for (const line of b) {
    const left = counts.get(line) ?? 0;
    if (left === 0) continue;
    counts.set(line, left - 1);
    same++;
  }
  return a.length + b.length - 2 * same;
}
