// How the cost of some work grows with its size, for tests on slow or busy machines: measured in CPU time, the best of
// several runs, and only compared with the same work at another size.

/** How many times longer the work takes at the larger size. Work too short to measure counts as one millisecond. */
export function growth(work: (size: number) => unknown, { from, to }: { from: number; to: number }): number {
  work(from);
  const first = cpuTime(() => work(to));
  if (first <= to / from) return first;
  const best = (size: number) => Math.min(...Array.from({ length: RUNS }, () => cpuTime(() => work(size))));
  return best(to) / Math.max(best(from), 1);
}

const RUNS = 3;

/** In milliseconds. */
function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
