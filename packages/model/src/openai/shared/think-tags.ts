// Separates thinking that a model writes as `<think>…</think>` at the very start of its text. A tag anywhere else is
// text. Pure.

const OPEN = "<think>";
const CLOSE = "</think>";

export interface TaggedText {
  readonly thinking: string;
  readonly text: string;
}

export class ThinkTags {
  #state: "start" | "inside" | "after" | "text" = "start";
  #held = "";

  /** There is no tag if text came from elsewhere before. */
  get isDone(): boolean {
    return this.#state === "text";
  }

  push(piece: string): TaggedText {
    this.#held += piece;
    let thinking = "";
    if (this.#state === "start") {
      const start = this.#held.trimStart();
      if (OPEN.startsWith(start.slice(0, OPEN.length)) && start.length < OPEN.length) return { thinking, text: "" };
      this.#state = start.startsWith(OPEN) ? "inside" : "text";
      if (this.#state === "inside") this.#held = start.slice(OPEN.length);
    }
    if (this.#state === "inside") {
      const end = this.#held.indexOf(CLOSE);
      const upTo = end < 0 ? this.#held.length - partOfTag(this.#held) : end;
      thinking = this.#held.slice(0, upTo);
      this.#held = this.#held.slice(end < 0 ? upTo : end + CLOSE.length);
      if (end < 0) return { thinking, text: "" };
      this.#state = "after";
    }
    if (this.#state === "after") {
      this.#held = this.#held.trimStart();
      if (this.#held === "") return { thinking, text: "" };
      this.#state = "text";
    }
    const text = this.#held;
    this.#held = "";
    return { thinking, text };
  }

  /** What was held back because a tag might have followed. */
  end(): TaggedText {
    const held = this.#held;
    this.#held = "";
    const isThinking = this.#state === "inside";
    this.#state = "text";
    return isThinking ? { thinking: held, text: "" } : { thinking: "", text: held };
  }
}

/** How many characters at the end may be the beginning of the closing tag. */
function partOfTag(text: string): number {
  for (let size = Math.min(CLOSE.length - 1, text.length); size > 0; size--)
    if (text.endsWith(CLOSE.slice(0, size))) return size;
  return 0;
}
