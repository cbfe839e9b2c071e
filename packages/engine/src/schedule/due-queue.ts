// What is due, earliest first: a heap, so that thousands of jobs cost little more than a few.

interface Item {
  readonly id: string;
  readonly at: number;
}

export class DueQueue {
  /** The items in `#current`, and some that were replaced since; those are skipped when they come up. */
  #heap: Item[] = [];
  readonly #current = new Map<string, Item>();

  get size(): number {
    return this.#current.size;
  }

  /** When this is due; undefined if it is not in the queue. */
  at(id: string): number | undefined {
    return this.#current.get(id)?.at;
  }

  /** Puts it into the queue, or moves it. */
  set(id: string, at: number): void {
    const item = { id, at };
    this.#current.set(id, item);
    if (this.#heap.length > 2 * this.#current.size + 64) this.#rebuild();
    else this.#push(item);
  }

  delete(id: string): void {
    this.#current.delete(id);
  }

  /** The earliest; undefined if the queue is empty. */
  first(): { readonly id: string; readonly at: number } | undefined {
    while (this.#heap.length > 0) {
      const first = this.#heap[0]!;
      if (this.#current.get(first.id) === first) return first;
      this.#pop();
    }
    return undefined;
  }

  #rebuild(): void {
    this.#heap = [...this.#current.values()].toSorted((a, b) => a.at - b.at);
  }

  #push(item: Item): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.at <= item.at) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}
