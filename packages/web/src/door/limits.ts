// How much of everything one client may ask for.

export const MAX_URL = 4_096;
export const MAX_BODY = 1024 * 1024;
/** Of all bodies that are being received or answered. */
export const MAX_BODIES = 256 * 1024 * 1024;
/** From a browser to the server. */
export const MAX_FRAME = 1024 * 1024;
/** What may wait for a browser that does not read. */
export const MAX_UNSENT = 8 * 1024 * 1024;
export const MAX_SOCKETS = 2_000;
export const MAX_SOCKETS_OF_DEVICE = 8;
/** With all of their streams, as many as there may be. */
export const MAX_DEVICES = 250;
/** Of requests that may take seconds, at once. */
export const MAX_COSTLY_OF_DEVICE = 3;
/** A request that takes longer to arrive is cut off. */
export const IDLE_SECONDS = 10;

/** So many in so long, for each key. It forgets keys that are not used. */
export class RateLimit {
  readonly #most: number;
  readonly #perMs: number;
  readonly #now: () => number;
  readonly #used = new Map<string, number[]>();

  constructor(most: number, perMs: number, now: () => number) {
    this.#most = most;
    this.#perMs = perMs;
    this.#now = now;
  }

  /** How many seconds to wait; 0 if this one is allowed, and counted. */
  take(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.count(key);
    return wait;
  }

  /** The seconds to wait, or 0. */
  wait(key: string): number {
    const recent = this.#recent(key);
    if (recent.length < this.#most) return 0;
    return Math.max(1, Math.ceil((recent[0]! + this.#perMs - this.#now()) / 1_000));
  }

  count(key: string): void {
    const recent = [...this.#recent(key), this.#now()];
    this.#used.delete(key);
    this.#used.set(key, recent);
    if (this.#used.size > MAX_KEYS) this.#used.delete(this.#used.keys().next().value!);
  }

  #recent(key: string): number[] {
    const since = this.#now() - this.#perMs;
    return (this.#used.get(key) ?? []).filter((at) => at > since);
  }
}

const MAX_KEYS = 10_000;

/** So many at once, for each key. */
export class AtOnce {
  readonly #most: number;
  readonly #running = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined if there are as many already; otherwise call it when it is over. */
  begin(key: string): (() => void) | undefined {
    const count = this.#running.get(key) ?? 0;
    if (count >= this.#most) return undefined;
    this.#running.set(key, count + 1);
    return () => {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    };
  }
}
