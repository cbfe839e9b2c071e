// What was cut, newest first. Cuts in a row are one.

const MOST = 60;

export class KillRing {
  readonly #texts: string[] = [];
  #at = 0;
  #grows = false;

  /** Adds a cut: at the end of the last one, or at its start, if nothing happened in between. */
  add(text: string, side: "end" | "start"): void {
    if (text === "") return;
    const last = this.#texts[0];
    if (this.#grows && last !== undefined) this.#texts[0] = side === "end" ? last + text : text + last;
    else this.#texts.unshift(text);
    this.#texts.length = Math.min(this.#texts.length, MOST);
    this.#grows = true;
    this.#at = 0;
  }

  /** The next cut is one of its own. */
  rest(): void {
    this.#grows = false;
  }

  newest(): string | undefined {
    this.#at = 0;
    return this.#texts[0];
  }

  /** The one before the one given last, round and round. */
  next(): string | undefined {
    if (this.#texts.length === 0) return undefined;
    this.#at = (this.#at + 1) % this.#texts.length;
    return this.#texts[this.#at];
  }
}
