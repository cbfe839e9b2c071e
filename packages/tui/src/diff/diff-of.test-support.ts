// The difference of two texts in hunks, as the session sends it.

import type { PatchHunk } from "@keelson/protocol";
import { listEdits } from "./list-edits.ts";

const CONTEXT = 3;
const NO_NEWLINE = "\\ No newline at end of file";

export function diffOf(before: string, after: string): readonly PatchHunk[] {
  if (before === after) return [];
  const a = linesOf(before);
  const b = linesOf(after);
  const { removed, added } = listEdits(a, b);
  const hunks: PatchHunk[] = [];
  let open: { oldStart: number; newStart: number; lines: string[]; quiet: number } | undefined;
  let x = 0;
  let y = 0;
  const close = () => {
    if (!open) return;
    const lines = open.lines.slice(0, open.lines.length - Math.max(0, open.quiet - CONTEXT));
    hunks.push({ ...counted(open.oldStart, open.newStart, lines), lines: lines.flatMap(withNewlineNote) });
    open = undefined;
  };
  const begin = () => {
    if (open) return open;
    const from = Math.min(CONTEXT, x);
    const context = a.slice(x - from, x).map((line) => ` ${line}`);
    return (open = { oldStart: x - from + 1, newStart: y - from + 1, lines: context, quiet: 0 });
  };
  while (x < a.length || y < b.length) {
    if (x < a.length && removed[x]) {
      const hunk = begin();
      hunk.quiet = 0;
      hunk.lines.push(`-${a[x++]}`);
    } else if (y < b.length && added[y]) {
      const hunk = begin();
      hunk.quiet = 0;
      hunk.lines.push(`+${b[y++]}`);
    } else {
      if (open) {
        open.lines.push(` ${a[x]}`);
        if (++open.quiet > 2 * CONTEXT) close();
      }
      x++;
      y++;
    }
  }
  close();
  return hunks;
}

/** A last line without a newline is marked, so that it differs from one with it. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines.push(`${lines.pop()!}\n`);
  return lines;
}

function withNewlineNote(line: string): string[] {
  return line.endsWith("\n") ? [line.slice(0, -1), NO_NEWLINE] : [line];
}

function counted(oldStart: number, newStart: number, lines: readonly string[]): Omit<PatchHunk, "lines"> {
  const oldLines = lines.filter((line) => !line.startsWith("+")).length;
  const newLines = lines.filter((line) => !line.startsWith("-")).length;
  // An empty side starts at the line before, as in git.
  return {
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
  };
}
