// The clients that watch a session. Each gets every message from when it attached, at its own pace; the first also gets
// earlier messages, so no question to the client is lost. A slow watcher holds the run back, which bounds memory.

import type { Outbound } from "@keelson/protocol";

const HIGH = 2_000;
const LOW = 500;

export class Watchers {
  readonly #all = new Set<Watcher>();
  #early: Outbound[] | undefined = [];
  #ended = false;

  /** Yields past messages, then live ones. */
  attach(past: Iterable<Outbound> = []): AsyncIterable<Outbound> {
    const watcher = new Watcher([...past, ...(this.#early ?? [])], () => this.#all.delete(watcher));
    this.#early = undefined;
    if (this.#ended) watcher.end();
    else this.#all.add(watcher);
    return watcher;
  }

  /** Returns a promise if a watcher is far behind; wait for it before sending more. */
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
