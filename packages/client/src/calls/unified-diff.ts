// Reads what `git diff` prints.

import type { PatchHunk } from "@keelson/protocol";

export interface FileDiff {
  readonly path: string;
  /** Where it was before, if it was renamed or copied. */
  readonly oldPath?: string;
  readonly change: "modified" | "added" | "deleted" | "renamed" | "binary";
  readonly hunks: readonly PatchHunk[];
}

export function unifiedDiff(text: string): readonly FileDiff[] {
  const files: FileInProgress[] = [];
  let hunk: HunkInProgress | undefined;
  for (const line of text.split("\n")) {
    if (hunk && wants(hunk, line)) {
      addTo(hunk, line);
      continue;
    }
    hunk = undefined;
    if (line.startsWith("diff --git ")) files.push(started(line));
    else if (line.startsWith("--- ") && (files.length === 0 || files.at(-1)!.hunks.length > 0)) {
      files.push({ path: "", change: "modified", hunks: [] });
    }
    const file = files.at(-1);
    if (!file) continue;
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header) {
      hunk = newHunk(header);
      file.hunks.push(hunk);
    } else readHeader(file, line);
  }
  return files.map((file) => ({ ...file, hunks: file.hunks.map(({ oldLeft: _, newLeft: __, ...rest }) => rest) }));
}

interface HunkInProgress extends PatchHunk {
  readonly lines: string[];
  oldLeft: number;
  newLeft: number;
}

interface FileInProgress {
  path: string;
  oldPath?: string;
  change: FileDiff["change"];
  readonly hunks: HunkInProgress[];
}

function newHunk(header: RegExpExecArray): HunkInProgress {
  const count = (text: string | undefined) => (text === undefined ? 1 : Number(text));
  const oldLines = count(header[2]);
  const newLines = count(header[4]);
  return {
    oldStart: Number(header[1]),
    oldLines,
    newStart: Number(header[3]),
    newLines,
    lines: [],
    oldLeft: oldLines,
    newLeft: newLines,
  };
}

/** The counts of the header say where a hunk ends: a removed line may itself look like a header. */
function wants(hunk: HunkInProgress, line: string): boolean {
  if (line.startsWith("\\")) return true;
  if (hunk.oldLeft === 0 && hunk.newLeft === 0) return false;
  return line === "" || line.startsWith(" ") || line.startsWith("+") || line.startsWith("-");
}

function addTo(hunk: HunkInProgress, line: string): void {
  // Some tools cut the space of an empty line.
  const kept = line === "" ? " " : line;
  hunk.lines.push(kept);
  if (kept.startsWith("\\")) return;
  if (!kept.startsWith("+")) hunk.oldLeft--;
  if (!kept.startsWith("-")) hunk.newLeft--;
}

function started(line: string): FileInProgress {
  const names = line.slice("diff --git ".length);
  // Without a rename both names are the same, so the second half is the name even if it has spaces.
  const half = names.slice(Math.ceil(names.length / 2));
  const path = names.startsWith('"') ? unquoted(names.slice(names.indexOf('" "') + 2)) : half;
  return { path: path.replace(/^b\//, ""), change: "modified", hunks: [] };
}

function readHeader(file: FileInProgress, line: string): void {
  if (line.startsWith("new file mode")) file.change = "added";
  else if (line.startsWith("deleted file mode")) file.change = "deleted";
  else if (line.startsWith("rename from ") || line.startsWith("copy from ")) {
    file.oldPath = unquoted(line.slice(line.indexOf("from ") + 5));
    file.change = "renamed";
  } else if (line.startsWith("rename to ") || line.startsWith("copy to ")) {
    file.path = unquoted(line.slice(line.indexOf("to ") + 3));
  } else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) file.change = "binary";
  else if (line.startsWith("--- ")) {
    const path = named(line.slice(4));
    if (path === undefined) file.change = "added";
    else if (file.path === "") file.path = path;
  } else if (line.startsWith("+++ ")) {
    const path = named(line.slice(4));
    if (path === undefined) file.change = "deleted";
    else file.path = path;
  }
}

/** The name behind `---` or `+++`; undefined for a file that does not exist. */
function named(text: string): string | undefined {
  const name = unquoted(text.split("\t")[0]!);
  return name === "/dev/null" ? undefined : name.replace(/^[abciwo]\//, "");
}

/** Git quotes unusual names and writes their bytes in octal. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, escaped] of name.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...encoder.encode(escaped === undefined ? part : (ESCAPES[escaped] ?? escaped)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
