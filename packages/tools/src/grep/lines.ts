// Sorts ripgrep's output by file. ripgrep prints files as they finish, in random order, but paging needs the same
// order each time.

const SEPARATOR = "--";

/** Takes lines of the form `path NUL : …` and returns those of files that may be shown, sorted by path. */
export function orderLines(stdout: string, mayShow: (path: string) => boolean = () => true): string[] {
  const byFile = new Map<string, string[] | null>();
  let hasBreaks = false;
  let pending = false;
  let last: string[] | null = null;
  for (const line of joinTornLines(stdout)) {
    if (line === SEPARATOR) {
      hasBreaks = true;
      pending = true;
      continue;
    }
    const path = pathOf(line);
    let lines = byFile.get(path);
    if (lines === undefined) byFile.set(path, (lines = mayShow(path) ? [] : null));
    else if (pending && lines === last) lines?.push(SEPARATOR);
    lines?.push(line);
    last = lines;
    pending = false;
  }
  const shown = [...byFile.keys()].filter((path) => byFile.get(path)).sort();
  return shown.flatMap((path, index) =>
    index > 0 && hasBreaks ? [SEPARATOR, ...byFile.get(path)!] : byFile.get(path)!,
  );
}

/** What ripgrep prints for a binary file. */
const BINARY = /: (binary file matches|WARNING: stopped searching binary file)[^\0]*$/;

/** Splits output into lines, and rejoins lines that were split by a newline in a file name. */
function joinTornLines(stdout: string): string[] {
  const records: string[] = [];
  let torn: string | undefined;
  for (const line of outputLines(stdout)) {
    const whole: string = torn === undefined ? line : `${torn}\n${line}`;
    const isWhole = whole === SEPARATOR || whole.includes("\0") || BINARY.test(whole);
    if (isWhole) records.push(whole);
    torn = isWhole ? undefined : whole;
  }
  return records;
}

function pathOf(record: string): string {
  const end = record.indexOf("\0");
  return end === -1 ? record.replace(BINARY, "") : record.slice(0, end);
}

/** The line as shown: `path:12:text` for a match, `path-12-text` for context. */
export function showLine(line: string, named: (printed: string) => string): string {
  if (line === SEPARATOR) return line;
  // Remove at most two NULs, after the path and after the number. The text itself may contain others.
  return named(line)
    .replace("\0", "")
    .replace(/^([^\0]*\d)\0/, "$1");
}

export function outputLines(stdout: string): string[] {
  const lines = stdout.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
