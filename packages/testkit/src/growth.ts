// What work costs, for tests on machines that may be slow or busy: in CPU time, the best of several runs, and only ever
// compared with other work in the same run.

/** How many times longer the work takes at the larger size. Work too short to measure counts as one millisecond. */
export function growth(work: (size: number) => unknown, { from, to }: { from: number; to: number }): number {
  work(from);
  const first = cpuTime(() => work(to));
  if (first <= to / from) return first;
  return (
    cost(() => work(to)) /
    Math.max(
      cost(() => work(from)),
      1,
    )
  );
}

/** CPU milliseconds, the best of several runs. Means something only beside another cost. */
export function cost(work: () => unknown): number {
  return Math.min(...Array.from({ length: RUNS }, () => cpuTime(work)));
}

const RUNS = 3;

/** In milliseconds. */
function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
