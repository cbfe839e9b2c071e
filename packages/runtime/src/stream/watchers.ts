// Whoever watches a session: each gets every message from the moment it attached, at its own pace; the first also what
// was said before anybody came, for a question to the client must not be lost because nobody was there yet.
// A watcher that falls behind holds the run back instead of growing memory.

import type { Outbound } from "@keelson/protocol";

const HIGH = 2_000;
const LOW = 500;

export class Watchers {
  readonly #all = new Set<Watcher>();
  #early: Outbound[] | undefined = [];
  #ended = false;

  /** Messages of the past first, then live ones. */
  attach(past: Iterable<Outbound> = []): AsyncIterable<Outbound> {
    const watcher = new Watcher([...past, ...(this.#early ?? [])], () => this.#all.delete(watcher));
    this.#early = undefined;
    if (this.#ended) watcher.end();
    else this.#all.add(watcher);
    return watcher;
  }

  /** A promise means somebody is far behind: wait for it before saying more. */
  push(message: Outbound): void | Promise<void> {
    if (this.#early && this.#early.length < HIGH) this.#early.push(message);
    let behind: Promise<void> | undefined;
    for (const watcher of this.#all) behind = watcher.push(message) ?? behind;
    return behind;
  }

  end(): void {
    this.#ended = true;
    for (const watcher of this.#all) watcher.end();
    this.#all.clear();
  }
}

class Watcher implements AsyncIterableIterator<Outbound> {
  readonly #detach: () => void;
  #waiting: Outbound[];
  #taken = 0;
  #ended = false;
  #wake: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(past: Iterable<Outbound>, detach: () => void) {
    this.#waiting = [...past];
    this.#detach = detach;
  }

  push(message: Outbound): Promise<void> | undefined {
    this.#waiting.push(message);
    this.#wake?.();
    if (this.#waiting.length - this.#taken > HIGH) this.#drained ??= Promise.withResolvers<void>();
    return this.#drained?.promise;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
    this.#release();
  }

  async next(): Promise<IteratorResult<Outbound>> {
    while (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const value = this.#waiting[this.#taken++]!;
    if (this.#waiting.length - this.#taken <= LOW) this.#release();
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Outbound>> {
    this.#detach();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
