// The lines of a patch with their numbers, what was left out between hunks, and the words that changed.

import type { PatchHunk } from "@keelson/protocol";
import { changedWords, type ChangedRange } from "./words.ts";

export type DiffLine =
  | {
      readonly kind: "added" | "removed" | "same";
      /** In the new text; in the old one for removed lines. */
      readonly number: number;
      readonly text: string;
      readonly changed?: readonly ChangedRange[];
    }
  /** Unchanged lines between two hunks. */
  | { readonly kind: "fold"; readonly count: number }
  | { readonly kind: "note"; readonly text: string };

export function* diffLines(hunks: readonly PatchHunk[]): Generator<DiffLine> {
  const endsInReturn = everyLineEndsInReturn(hunks);
  let last: number | undefined;
  for (const hunk of hunks) {
    if (last !== undefined && hunk.newStart > last) yield { kind: "fold", count: hunk.newStart - last };
    // A side without lines starts at the line before it.
    let oldNumber = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
    let newNumber = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
    const changes = new Changes();
    for (const raw of hunk.lines) {
      const text = endsInReturn ? raw.slice(1, -1) : raw.slice(1);
      if (raw.startsWith("-")) {
        if (changes.hasAdded) yield* changes.take();
        changes.remove(oldNumber++, text);
      } else if (raw.startsWith("+")) changes.add(newNumber++, text);
      else if (raw.startsWith("\\")) changes.note(raw);
      else {
        yield* changes.take();
        oldNumber++;
        yield { kind: "same", number: newNumber++, text };
      }
    }
    yield* changes.take();
    last = newNumber;
  }
}

type Numbered = { readonly number: number; readonly text: string; readonly note?: string };

/** Removed lines and the added ones in their place. */
class Changes {
  #removed: Numbered[] = [];
  #added: Numbered[] = [];

  get hasAdded(): boolean {
    return this.#added.length > 0;
  }

  remove(number: number, text: string): void {
    this.#removed.push({ number, text });
  }

  add(number: number, text: string): void {
    this.#added.push({ number, text });
  }

  /** Belongs to the line before it. */
  note(text: string): void {
    const lines = this.#added.length > 0 ? this.#added : this.#removed;
    const line = lines.pop();
    if (line) lines.push({ ...line, note: text.slice(1).trim() });
  }

  *take(): Generator<DiffLine> {
    const removed = this.#removed;
    const added = this.#added;
    this.#removed = [];
    this.#added = [];
    const pairs = Math.min(removed.length, added.length);
    const words = Array.from({ length: pairs }, (_, at) => changedWords(removed[at]!.text, added[at]!.text));
    for (const [at, line] of removed.entries()) yield* numbered("removed", line, words[at]?.before);
    for (const [at, line] of added.entries()) yield* numbered("added", line, words[at]?.after);
  }
}

function* numbered(
  kind: "added" | "removed",
  { number, text, note }: Numbered,
  changed: readonly ChangedRange[] | undefined,
): Generator<DiffLine> {
  yield { kind, number, text, ...(changed ? { changed } : {}) };
  if (note !== undefined) yield { kind: "note", text: note };
}

/** Then the carriage returns are those of the file, not a change. */
function everyLineEndsInReturn(hunks: readonly PatchHunk[]): boolean {
  return hunks.every(({ lines }) => lines.every((line) => line.endsWith("\r") || line.startsWith("\\")));
}
