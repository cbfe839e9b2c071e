// Reads a unified diff, as git prints it: which files, and the rows of each.

export interface DiffedFile {
  /** The path after the change, or before it if the file was deleted. */
  readonly path: string;
  readonly change: "changed" | "new" | "deleted" | "renamed";
  /** The path before, if it was renamed. */
  readonly from?: string;
  readonly added: number;
  readonly removed: number;
  /** Hunks with their `@@` rows, or what git says instead, such as `Binary files differ`. */
  readonly rows: readonly string[];
}

export function readUnifiedDiff(text: string): readonly DiffedFile[] {
  const files: DiffedFile[] = [];
  const lines = text.split("\n");
  let start = -1;
  const isStart = (index: number) =>
    lines[index]!.startsWith("diff --git ") ||
    (start < 0 && lines[index]!.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true);
  for (let index = 0; index < lines.length; index += 1) {
    if (!isStart(index)) {
      // Without git's own header, the next `---` ends a file, but not inside a hunk.
      const isNext = lines[index]!.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") && index > start + 3;
      const hasHeader = start >= 0 && lines[start]!.startsWith("diff --git ");
      if (hasHeader || !isNext || !lines[index + 2]?.startsWith("@@")) continue;
    }
    if (start >= 0) files.push(readFile(lines.slice(start, index)));
    start = index;
  }
  if (start >= 0) files.push(readFile(lines.slice(start)));
  return files;
}

function readFile(lines: readonly string[]): DiffedFile {
  const found = lines.findIndex((line) => line.startsWith("@@") || line.startsWith("Binary files "));
  const split = found < 0 ? lines.length : found;
  const head = lines.slice(0, split);
  const rows = lines.slice(split);
  while (rows.at(-1) === "") rows.pop();
  const after = (prefix: string) => head.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const [before, now] = [pathIn(after("--- ")), pathIn(after("+++ "))];
  const renamedFrom = after("rename from ");
  const named = /^diff --git (?:"?a\/)(.*?)"? "?b\/(.*?)"?$/.exec(head[0] ?? "")?.[2];
  const path = after("rename to ") ?? now ?? before ?? named ?? "";
  const isNew = head.some((line) => line.startsWith("new file")) || (before === undefined && now !== undefined);
  const isDeleted = head.some((line) => line.startsWith("deleted file")) || (now === undefined && before !== undefined);
  return {
    path,
    change: renamedFrom !== undefined ? "renamed" : isNew ? "new" : isDeleted ? "deleted" : "changed",
    ...(renamedFrom === undefined ? {} : { from: renamedFrom }),
    added: rows.filter((row) => row.startsWith("+")).length,
    removed: rows.filter((row) => row.startsWith("-")).length,
    rows,
  };
}

/** Undefined for `/dev/null`. git quotes unusual paths and puts `a/` or `b/` before them. */
function pathIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const path = text.replace(/\t.*$/, "").replace(/^"(.*)"$/, "$1");
  return path === "/dev/null" ? undefined : path.replace(/^[ab]\//, "");
}
