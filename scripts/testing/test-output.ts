// Reads what `bun test` prints: totals, skipped tests, failures. Its JUnit report is no substitute: it leaves out files
// that fail to load, and it is not written when the run is cut short.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * The totals of a run. A run that ended before it printed its totals has those of the tests it reported until then,
 * and one failure more; so has a run that failed without reporting a failure.
 */
export function readCounts(output: string, exitCode: number | null): Counts {
  const lines = linesOf(output);
  const end = lines.findLastIndex((line) => /^Ran \d+ tests? across \d+ files?/.test(line));
  const counts =
    end < 0 ? countReported(reportOf(lines)) : countSummary(lines.slice(lines.lastIndexOf("", end) + 1, end));
  const unreported = end < 0 || (exitCode !== 0 && counts.fail === 0) ? 1 : 0;
  return { passed: counts.pass, failed: counts.fail + unreported, skipped: counts.skip + counts.todo };
}

/** One line for each skipped test: its file, its name, and the reason its name ends with. */
export function skippedTests(output: string): string[] {
  return testsMarked(/^\((?:skip|todo)\) (.*)$/, output).map(
    ({ file, name }) => `${file}: ${name}${name.endsWith("]") ? "" : " [no reason given]"}`,
  );
}

export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

export function failedTests(output: string): readonly NamedTest[] {
  return testsMarked(/^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/, output);
}

function testsMarked(mark: RegExp, output: string): NamedTest[] {
  let file = "";
  return reportOf(linesOf(output)).flatMap((line) => {
    file = HEADING.exec(line)?.[1] ?? file;
    const name = mark.exec(line)?.[1];
    return name === undefined ? [] : { file, name };
  });
}

/** The output without the tests that passed or were skipped, and without files that have nothing else to show. */
export function withoutPasses(output: string): string {
  const shown: string[] = [];
  let heading: string | undefined;
  for (const line of linesOf(output)) {
    if (HEADING.test(line)) heading = line;
    else if (
      !/^\((?:pass|skip|todo)\) |^\d+ tests (?:skipped|todo):$/.test(line) &&
      (line !== "" || heading === undefined)
    ) {
      if (heading !== undefined) shown.push("", heading);
      heading = undefined;
      shown.push(line);
    }
  }
  return shown
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const HEADING = /^(\S+\.test\.ts):$/;

const linesOf = (output: string) => Bun.stripANSI(output).split(/\r?\n/);

/** After a long run, tests that did not pass are listed again. */
function reportOf(lines: readonly string[]): readonly string[] {
  const again = lines.findIndex((line) => /^\d+ tests (?:skipped|todo|failed):$/.test(line));
  return again < 0 ? lines : lines.slice(0, again);
}

type Words = Record<"pass" | "fail" | "skip" | "todo", number>;

function countSummary(lines: readonly string[]): Words {
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0 };
  for (const line of lines) {
    const [, number, word] = /^ *(\d+) (pass|fail|skip|todo)$/.exec(line) ?? [];
    if (number && word) counts[word as keyof Words] = Number(number);
  }
  return counts;
}

function countReported(lines: readonly string[]): Words {
  const counts = { pass: 0, fail: 0, skip: 0, todo: 0 };
  for (const line of lines) {
    const word = /^\((pass|fail|skip|todo)\) /.exec(line)?.[1];
    if (word) counts[word as keyof Words]++;
  }
  return counts;
}
