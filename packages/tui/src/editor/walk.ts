// Up and Down: through the rows of the draft first, then through earlier prompts.

import type { PromptDraft } from "./draft.ts";
import type { HistoryEntry, HistoryWalk } from "./history.ts";
import { rowMove } from "./text/viewport.ts";

const COLUMNS = 80;

export class PromptWalk {
  /** The columns of a row, as it was drawn last. */
  columns = COLUMNS;
  readonly #draft: PromptDraft;
  readonly #history: HistoryWalk;
  readonly #walked: () => void;
  /** The column that Up and Down keep to. */
  #goal: number | undefined;
  /** How often Up was pressed before the history was read. */
  #waitingUps = 0;

  /** `walked` is called when another line is in the draft. */
  constructor(draft: PromptDraft, history: HistoryWalk, walked: () => void) {
    this.#draft = draft;
    this.#history = history;
    this.#walked = walked;
  }

  /** Another key came: the column is forgotten, and so are presses of Up that still wait. */
  rest(): void {
    this.#goal = undefined;
    this.#waitingUps = 0;
  }

  /** A row up or down. False at the first or last row. */
  moveRow(direction: -1 | 1): boolean {
    const move = rowMove(this.#draft.buffer, this.columns, direction, this.#goal);
    if (!move) return false;
    this.#draft.buffer.moveTo(move.point);
    this.#goal = move.goal;
    return true;
  }

  older(): void {
    if (this.#history.isLoaded) {
      this.#take(this.#history.older(this.#draft.entry()));
      return;
    }
    // Each press counts, also those before the history was read.
    this.#waitingUps += 1;
    if (this.#waitingUps === 1) void this.#history.load().then(() => this.#takeWaiting());
  }

  newer(): void {
    this.#take(this.#history.newer(this.#draft.entry()));
  }

  #takeWaiting(): void {
    for (; this.#waitingUps > 0; this.#waitingUps -= 1) this.#take(this.#history.older(this.#draft.entry()));
  }

  #take(entry: HistoryEntry | undefined): void {
    if (!entry) return;
    this.#draft.setEntry(entry);
    this.#goal = undefined;
    this.#walked();
  }
}
