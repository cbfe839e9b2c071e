// Reads the totals `bun test` prints at its end. Its JUnit report is no substitute: it leaves out files that fail to load.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The totals of a run. A run that failed without saying what, or that died before its totals, is one failure. */
export function readCounts(output: string, exitCode: number | null): Counts {
  const lines = Bun.stripANSI(output).split(/\r?\n/);
  const end = lines.findLastIndex((line) => /^Ran \d+ tests? across \d+ files?/.test(line));
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0 };
  for (const line of end < 0 ? [] : lines.slice(lines.lastIndexOf("", end) + 1, end)) {
    const [, number, word] = /^ *(\d+) (pass|fail|skip|todo)$/.exec(line) ?? [];
    if (number && word) counts[word as keyof typeof counts] = Number(number);
  }
  const silent = exitCode !== 0 && counts.fail === 0 ? 1 : 0;
  return { passed: counts.pass, failed: counts.fail + silent, skipped: counts.skip + counts.todo };
}
