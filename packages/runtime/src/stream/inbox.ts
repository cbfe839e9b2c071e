// What waits for its turn: prompts run one after another, notices of finished work join the next safe boundary.

import type { NewEntry, PromptMessage } from "@keelson/protocol";

/** One run: a prompt, or without one the notices that wait. */
export interface Work {
  readonly prompt?: PromptMessage;
}

export class Inbox {
  readonly #prompts: PromptMessage[] = [];
  readonly #notices: NewEntry[] = [];
  #arrived: (() => void) | undefined;
  #closed = false;
  #waking = false;

  push(prompt: PromptMessage): void {
    if (this.#closed) return;
    this.#prompts.push(prompt);
    this.#arrived?.();
  }

  /** Before everything that waits. */
  pushFirst(prompt: PromptMessage): void {
    this.#prompts.unshift(prompt);
    this.#arrived?.();
  }

  /** Something the model should hear: when it next listens, or, if it `wakes`, as soon as nothing else runs. */
  notify(entry: NewEntry, { wakes }: { readonly wakes: boolean }): void {
    this.#notices.push(entry);
    this.#waking ||= wakes;
    this.#arrived?.();
  }

  takeNotices(): NewEntry[] {
    this.#waking = false;
    return this.#notices.splice(0);
  }

  /** No more prompts will come; those that wait still run, and notices no longer start anything. */
  close(): void {
    this.#closed = true;
    this.#arrived?.();
  }

  /** Takes back the prompt a client gave this id, if it still waits. */
  take(uuid: string): PromptMessage[] {
    const at = this.#prompts.findIndex((prompt) => prompt.uuid === uuid);
    return at < 0 ? [] : this.#prompts.splice(at, 1);
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

  /** What clients called the prompts that wait; those they gave no id are left out. */
  get ids(): string[] {
    return this.#prompts.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  }

  /** Resolves when there is something to run, or nothing will come. */
  async filled(): Promise<void> {
    while (this.#prompts.length === 0 && !this.#closed && !this.#waking) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
      this.#arrived = undefined;
    }
  }

  /** What to run now. Taken at once: until it runs, a prompt is among those that wait. */
  shift(): Work | undefined {
    const prompt = this.#prompts.shift();
    if (prompt) return { prompt };
    return this.#waking && !this.#closed ? {} : undefined;
  }
}
