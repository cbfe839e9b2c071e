// Frames that the window was resized under: they were made for one width and arrived at another, so they began at the
// wrong row. Says how wrong, once everything that was on its way has arrived.

import { ResizedArea, type DrawnArea, type Reflow } from "./reflow.ts";
import type { ScreenSize } from "../port.ts";

/** A frame on its way. */
export interface SentFrame {
  readonly columns: number;
  /** What was on the screen before, the sizes the window had since, and how far up from its cursor the frame began. */
  readonly before: DrawnArea;
  readonly sizes: readonly ScreenSize[];
  readonly up: number;
  readonly finished: readonly string[];
}

export interface Misplacement {
  /** What the frame was made for, and what it found. */
  readonly madeFor: number;
  readonly columns: number;
  /** By how many rows it began too low, or too high if negative. */
  readonly by: number;
  readonly finished: readonly string[];
}

export class LateFrames {
  #found: Misplacement | undefined;

  get any(): boolean {
    return this.#found !== undefined;
  }

  /** A frame arrived in a window of this size. */
  add({ columns: madeFor, before, sizes, up, finished }: SentFrame, size: ScreenSize, reflow: Reflow): void {
    const { columns } = size;
    const found = this.#found;
    if (found === undefined) {
      const area = new ResizedArea(before, reflow);
      for (const step of [...sizes, size]) area.step(step);
      this.#found = { madeFor, columns, by: area.above - up, finished };
    } else if (found.columns === columns) {
      // A key was drawn before the answer came. Its frame is where the one before it is.
      this.#found = { ...found, finished: [...found.finished, ...finished] };
    } else this.#found = { madeFor, columns, by: 0, finished: [] };
  }

  take(): Misplacement | undefined {
    const found = this.#found;
    this.#found = undefined;
    return found;
  }
}
