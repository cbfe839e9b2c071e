// Puts the blocks of a reply in order: one is open at a time, and what arrives for a later one waits until the ones
// before it are finished. Pure.

import type { BlockDelta, ContentBlock, JsonObject, StreamEvent } from "@keelson/protocol";

export interface QueuedBlock {
  add(delta: BlockDelta): void;
  /** Nothing more comes for this block. */
  finish(): void;
  readonly isFinished: boolean;
}

interface Waiting {
  readonly start: ContentBlock;
  readonly callState: JsonObject | undefined;
  readonly deltas: BlockDelta[];
  isFinished: boolean;
}

export class BlockQueue {
  #waiting: Waiting[] = [];
  #events: StreamEvent[] = [];
  #index = -1;
  #isOpen = false;

  /** Whether any block was added. */
  get isEmpty(): boolean {
    return this.#index < 0 && this.#waiting.length === 0;
  }

  open(start: ContentBlock, callState?: JsonObject): QueuedBlock {
    const block: Waiting = { start, callState, deltas: [], isFinished: false };
    this.#waiting.push(block);
    this.#advance();
    return {
      add: (delta) => {
        block.deltas.push(delta);
        this.#advance();
      },
      finish: () => {
        block.isFinished = true;
        this.#advance();
      },
      get isFinished() {
        return block.isFinished;
      },
    };
  }

  finishAll(): void {
    for (const block of this.#waiting) block.isFinished = true;
    this.#advance();
  }

  /** The events since the last call. */
  take(): StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #advance(): void {
    for (let block = this.#waiting[0]; block; block = this.#waiting[0]) {
      if (!this.#isOpen) {
        this.#isOpen = true;
        this.#index++;
        const { start, callState } = block;
        const state = callState ? { callState } : {};
        this.#events.push({ type: "content_block_start", index: this.#index, content_block: start, ...state });
      }
      for (const delta of block.deltas.splice(0))
        this.#events.push({ type: "content_block_delta", index: this.#index, delta });
      if (!block.isFinished) return;
      this.#events.push({ type: "content_block_stop", index: this.#index });
      this.#isOpen = false;
      this.#waiting.shift();
    }
  }
}
