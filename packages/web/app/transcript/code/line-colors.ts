// Lines of code, colored after they were drawn, while the page is idle. What grows gets its colors at once.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { CodePiece, LineHighlighter } from "@keelson/client/code-colors";
import { whileIdle } from "../../idle.ts";

/** So many characters of one code have colors; what follows has none. */
export const MOST_CHARS = 60_000;
/** So many are colored in one part of the work, and at once where code grows. */
const STEP_CHARS = 3_000;
/** A longer line was not written by people. */
const LONGEST_LINE = 2_000;

export type ColoredLine = readonly CodePiece[];

export class LineColors {
  readonly #version = signal(0);
  readonly #begin: () => (at: number) => LineHighlighter;
  #highlighterOf: ((at: number) => LineHighlighter) | undefined;
  #lines: readonly string[] = [];
  #colored: ColoredLine[] = [];
  #last: ColoredLine | undefined;
  #chars = 0;
  #isUnknown = false;
  #stop: (() => void) | undefined;

  /** `begin` finds what colors each line, by its position, beginning with the first one. */
  constructor(begin: () => (at: number) => LineHighlighter) {
    this.#begin = begin;
  }

  /** Changes when more lines have colors. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  /** All lines from the first one on that have colors. The list grows in place. */
  get colored(): readonly ColoredLine[] {
    return this.#colored;
  }

  /** The line behind them, if it is the last one of all. */
  get last(): ColoredLine | undefined {
    return this.#last;
  }

  /** All that is there now. The last line may be one that still grows. */
  set(lines: readonly string[]): void {
    const before = this.#lines;
    this.#lines = lines;
    const isGrown = this.#colored.length < lines.length && this.#colored.every((_, at) => lines[at] === before[at]);
    if (!isGrown) this.#forget();
    const hadColors = this.#colored.length > 0 || this.#last !== undefined;
    this.#last = undefined;
    // Colors that came later each time would flicker.
    if (!hadColors || this.#stop !== undefined || this.#color()) this.#plan();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #forget(): void {
    this.#colored = [];
    this.#chars = 0;
    this.#highlighterOf = undefined;
  }

  #plan(): void {
    if (this.#stop !== undefined || this.#isUnknown) return;
    this.#stop = whileIdle(() => {
      const isMore = this.#color();
      this.#version.value++;
      if (!isMore) this.#stop = undefined;
      return isMore;
    });
  }

  /** True if there is more. */
  #color(): boolean {
    this.#highlighterOf ??= this.#begin();
    if (!this.#highlighterOf(this.#colored.length).known) {
      this.#isUnknown = true;
      return false;
    }
    const end = this.#lines.length - 1;
    let left = STEP_CHARS;
    while (this.#colored.length <= end && left > 0) {
      const at = this.#colored.length;
      const line = this.#lines[at]!;
      if (this.#chars + line.length > MOST_CHARS || line.length > LONGEST_LINE) return false;
      if (at === end) {
        this.#last = this.#highlighterOf(at).fork().line(line);
        return false;
      }
      this.#colored.push(this.#highlighterOf(at).line(line));
      this.#chars += line.length + 1;
      left -= line.length + 1;
    }
    return true;
  }
}
