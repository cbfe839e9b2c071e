// Computes the difference of two texts as hunks with three lines of context. Returns no hunks if the change is too
// large to compute quickly.

import type { FilePatch, PatchHunk } from "@keelson/protocol";

const CONTEXT = 3;
const MAX_CHANGED_LENGTH = 1_000_000;
const MAX_MS = 500;
const MAX_SHOWN_LENGTH = 200_000;

/** Both texts must have LF line endings. */
export async function patchOf(before: string, after: string): Promise<readonly PatchHunk[]> {
  const same = commonEnds(before, after);
  const oldPart = before.slice(same.start, before.length - same.end);
  const newPart = after.slice(same.start, after.length - same.end);
  if (oldPart.length + newPart.length > MAX_CHANGED_LENGTH) return [];

  // 3 ms unbundled, needed only after a write.
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", oldPart, newPart, undefined, undefined, { context: CONTEXT, timeout: MAX_MS });
  return (patch?.hunks ?? []).map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart: oldStart + same.lines,
    oldLines,
    newStart: newStart + same.lines,
    newLines,
    lines,
  }));
}

/**
 * The change as people see it before they approve it; `before` is null if there is no file yet. Undefined if it is too long
 * for that: then its input says what it does.
 */
export async function shownPatch(path: string, before: string | null, after: string): Promise<FilePatch | undefined> {
  if (before === after) return { path, hunks: [] };
  if (after.length > MAX_CHANGED_LENGTH) return undefined;
  const hunks = await patchOf(before ?? "", after);
  const length = hunks.reduce((sum, { lines }) => sum + lines.reduce((all, line) => all + line.length + 1, 0), 0);
  if (length > MAX_SHOWN_LENGTH || (hunks.length === 0 && (before ?? "") !== after)) return undefined;
  return { path, ...(before === null ? { isNew: true } : {}), hunks };
}

/** How many whole lines the texts share at the start and end, not counting the context lines of a hunk. */
function commonEnds(before: string, after: string): { start: number; end: number; lines: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;

  let start = before.lastIndexOf("\n", head - 1) + 1;
  if (head === 0) start = 0;
  for (let line = 0; line < CONTEXT && start > 0; line++)
    start = start < 2 ? 0 : before.lastIndexOf("\n", start - 2) + 1;

  let kept = before.length - tail;
  for (let line = 0; line <= CONTEXT && kept < before.length; line++) {
    const next = before.indexOf("\n", kept);
    kept = next === -1 ? before.length : next + 1;
  }
  let lines = 0;
  for (let at = before.indexOf("\n"); at !== -1 && at < start; at = before.indexOf("\n", at + 1)) lines++;
  return { start, end: before.length - kept, lines };
}
