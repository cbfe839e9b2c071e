// Who is told when something changed.

export class Listeners {
  readonly #all = new Set<(change: string) => void>();

  get size(): number {
    return this.#all.size;
  }

  add(listener: (change: string) => void): () => void {
    // The same function may listen twice.
    const own = (change: string) => listener(change);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  tell(change: string): void {
    for (const listener of this.#all) listener(change);
  }
}
