// ripgrep's lines put into a lasting order. It searches files side by side and prints them as they finish; pages
// of a result make sense only if the order is the same each time.

const SEPARATOR = "--";

/** Lines as `path NUL : …` in; out the same lines of files that may be shown, in order of their names. */
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

/** What ripgrep says of a binary file instead of showing it. */
const BINARY = /: (binary file matches|WARNING: stopped searching binary file)[^\0]*$/;

/** Lines, with those joined that a line break in a file's name tore apart. */
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

/** One line as shown: `path:12:text`, or `path-12-text` around a match. */
export function showLine(line: string, named: (printed: string) => string): string {
  if (line === SEPARATOR) return line;
  // At most two: after the path and after the number. The text may hold NULs of its own.
  return named(line)
    .replace("\0", "")
    .replace(/^([^\0]*\d)\0/, "$1");
}

export function outputLines(stdout: string): string[] {
  const lines = stdout.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
