// Finished items, for viewers. The oldest are forgotten: the session's own replay has them.

import { weightOf, type StreamItem } from "./item.ts";

const MOST_CHARS = 2 * 1024 * 1024;

export class Past {
  #items: StreamItem[] = [];
  #weight = 0;
  #forgotten = 0;

  add(item: StreamItem): void {
    this.#items.push(item);
    this.#weight += weightOf(item) + 64;
    if (this.#weight <= MOST_CHARS) return;
    let drop = 0;
    // A bit more than needed, so that this is not repeated for each item.
    while (this.#weight > MOST_CHARS * 0.9 && drop < this.#items.length - 1) {
      this.#weight -= weightOf(this.#items[drop]!) + 64;
      drop += 1;
    }
    this.#items = this.#items.slice(drop);
    this.#forgotten += drop;
  }

  /** Oldest first. */
  get items(): readonly StreamItem[] {
    return this.#items;
  }

  /** How many items are no longer here. */
  get forgotten(): number {
    return this.#forgotten;
  }

  clear(): void {
    this.#items = [];
    this.#weight = 0;
    this.#forgotten = 0;
  }
}
