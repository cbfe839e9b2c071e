// What waits for its turn: prompts run one after another, notices of finished work join the next safe boundary.

import type { NewEntry, PromptMessage } from "@keelson/protocol";

export class Inbox {
  readonly #prompts: PromptMessage[] = [];
  readonly #notices: NewEntry[] = [];
  #arrived: (() => void) | undefined;
  #closed = false;

  push(prompt: PromptMessage): void {
    if (this.#closed) return;
    this.#prompts.push(prompt);
    this.#arrived?.();
  }

  /** Something the model should hear when it next listens. */
  notify(entry: NewEntry): void {
    this.#notices.push(entry);
  }

  takeNotices(): NewEntry[] {
    return this.#notices.splice(0);
  }

  /** No more prompts will come; those that wait still run. */
  close(): void {
    this.#closed = true;
    this.#arrived?.();
  }

  /** Drops what waits, too. */
  clear(): PromptMessage[] {
    return this.#prompts.splice(0);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get waiting(): number {
    return this.#prompts.length;
  }

  /** The next prompt, or undefined when none will come. */
  async next(): Promise<PromptMessage | undefined> {
    while (this.#prompts.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
      this.#arrived = undefined;
    }
    return this.#prompts.shift();
  }
}
