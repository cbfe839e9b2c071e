// The clients that watch a session. Each gets every message from when it attached, at its own pace; the first also gets
// earlier messages, so no question to the client is lost. A slow watcher holds the run back, which bounds memory.

import type { Outbound, StreamCursor } from "@keelson/protocol";

const HIGH = 2_000;
const LOW = 500;

export class Watchers {
  readonly #all = new Set<StreamWatcher>();
  #early: Outbound[] | undefined = [];
  #ended = false;
  #attached = 0;
  /** How many messages went to everybody. */
  #sent = 0;
  readonly #newEpoch: () => string;
  #epoch: string | undefined;

  constructor(newEpoch: () => string) {
    this.#newEpoch = newEpoch;
  }

  /** Yields past messages, then live ones. */
  attach(past: Iterable<Outbound> = []): StreamWatcher {
    const watcher = new StreamWatcher([...past, ...(this.#early ?? [])], {
      id: `client-${++this.#attached}`,
      sent: this.#sent,
      cursorAt: (position) => `${(this.#epoch ??= this.#newEpoch().slice(0, 8))}.${position}`,
      detach: () => this.#all.delete(watcher),
    });
    this.#early = undefined;
    if (this.#ended) watcher.end();
    else this.#all.add(watcher);
    return watcher;
  }

  /** Returns a promise if a watcher is far behind; wait for it before sending more. */
  push(message: Outbound): void | Promise<void> {
    this.#sent++;
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

interface WatcherOptions {
  readonly id: string;
  readonly sent: number;
  cursorAt(position: number): StreamCursor;
  detach(): void;
}

export class StreamWatcher implements AsyncIterableIterator<Outbound> {
  readonly #options: WatcherOptions;
  #waiting: Outbound[];
  #taken = 0;
  #ended = false;
  /** How many messages had gone to everybody when the last one in `#waiting` was added. */
  #sent: number;
  #wake: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(past: Iterable<Outbound>, options: WatcherOptions) {
    this.#waiting = [...past];
    this.#options = options;
    this.#sent = options.sent;
  }

  get id(): string {
    return this.#options.id;
  }

  /** The position behind the last message taken. */
  get cursor(): StreamCursor {
    return this.#options.cursorAt(Math.max(0, this.#sent - (this.#waiting.length - this.#taken)));
  }

  push(message: Outbound): Promise<void> | undefined {
    this.#sent++;
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

  detach(): void {
    this.#options.detach();
    this.end();
  }

  async return(): Promise<IteratorResult<Outbound>> {
    this.detach();
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
