// What the footer says for a moment: that a second press of a key does something, or what was just done.

/** How long the second press of a key counts as the answer to the first. */
const AGAIN_MS = 1_500;
const SAID_MS = 4_000;

export class PromptHints {
  #hint: { text: string; until: number; asked?: string } | undefined;

  /** Asks for a second press. */
  ask(action: string, text: string, now: number): void {
    this.#hint = { text, until: now + AGAIN_MS, asked: action };
  }

  say(text: string, now: number): void {
    this.#hint = { text, until: now + SAID_MS };
  }

  /** A key came: the hint goes. Returns the action it asked a second press for, if that is still open. */
  take(now: number): string | undefined {
    const hint = this.#hint;
    this.#hint = undefined;
    return hint && now < hint.until ? hint.asked : undefined;
  }

  text(now: number): string | undefined {
    return this.#hint && now < this.#hint.until ? this.#hint.text : undefined;
  }

  /** Milliseconds until it goes by itself. */
  left(now: number): number | undefined {
    return this.#hint && now < this.#hint.until ? this.#hint.until - now : undefined;
  }
}
