// ripgrep's lines put into a lasting order. It searches files side by side and prints them as they finish; pages
// of a result make sense only if the order is the same each time.

const BREAK = "--";

/** Lines as `path NUL : …` in, the same lines with files in order of their names out. */
export function orderLines(stdout: string): string[] {
  const byFile = new Map<string, string[]>();
  let hasBreaks = false;
  let pending = false;
  let last: string[] | undefined;
  for (const line of linesOf(stdout)) {
    if (line === BREAK) {
      hasBreaks = true;
      pending = true;
      continue;
    }
    const end = line.indexOf("\0");
    const path = end === -1 ? line : line.slice(0, end);
    let lines = byFile.get(path);
    if (!lines) byFile.set(path, (lines = []));
    else if (pending && lines === last) lines.push(BREAK);
    lines.push(line);
    last = lines;
    pending = false;
  }
  const paths = [...byFile.keys()].sort();
  return paths.flatMap((path, index) => (index > 0 && hasBreaks ? [BREAK, ...byFile.get(path)!] : byFile.get(path)!));
}

/** One line as shown: `path:12:text`, or `path-12-text` around a match. */
export function showLine(line: string): string {
  // At most two: after the path and after the number. The text may hold NULs of its own.
  return withoutDot(line)
    .replace("\0", "")
    .replace(/^([^\0]*\d)\0/, "$1");
}

export function linesOf(stdout: string): string[] {
  const lines = stdout.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A search in "." names files "./a"; people say "a". */
export const withoutDot = (path: string) => (path.startsWith("./") ? path.slice(2) : path);
