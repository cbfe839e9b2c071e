// Keeps a dialog from being answered by a key that was pressed before it was seen, or that was meant for the prompt.

import type { InputEvent, Key } from "../input/event.ts";
import type { Panel } from "../screen/view.ts";
import { inWords } from "../widgets/in-words.ts";
import type { Dialog, DialogAnswer, DialogContext } from "./dialog-context.ts";

const HELD_MS = 300;
/** Someone whose last key is longer ago was not typing. */
const TYPING_MS = 1500;

/** A key that is held down repeats after about half a second, and then every few milliseconds. */
const FIRST_REPEAT_MS = 700;

/** The key that answered last, which may still be held down: it answers nothing more before it was let go. */
export class AnswerKey {
  #key: string | undefined;
  #freeAt = 0;

  answered(event: InputEvent, now: number): void {
    this.#key = event.kind === "key" ? nameOf(event) : undefined;
    this.#freeAt = now + FIRST_REPEAT_MS;
  }

  /** Whether this is that key, repeating. Another key, or none for a while, means that it was let go. */
  holds(event: InputEvent, now: number): boolean {
    if (event.kind !== "key" || this.#key === undefined) return false;
    const isOver = now >= this.#freeAt && event.repeats !== true;
    if (isOver || nameOf(event) !== this.#key) this.#key = undefined;
    else this.#freeAt = Math.max(this.#freeAt, now + HELD_MS);
    return this.#key !== undefined;
  }
}

const nameOf = ({ name, ctrl, alt, shift, super: meta }: Key) =>
  JSON.stringify([name, ctrl, alt, shift, meta === true]);

/** Enter that a terminal says repeats was pressed for what was there before. */
const isRepeatedEnter = (event: InputEvent) => event.kind === "key" && event.repeats === true && event.name === "enter";

export function guarded(
  panel: Panel<DialogAnswer>,
  {
    openedAt,
    lastKeyAt = -Infinity,
    plain,
    answerKey,
  }: Pick<DialogContext, "openedAt" | "lastKeyAt" | "plain" | "answerKey">,
): Dialog {
  const wasTyping = openedAt - lastKeyAt < TYPING_MS;
  let lastHeldAt = openedAt;
  let isDrawn = false;
  const holdsKeys = (now: number) => !isDrawn || (wasTyping && now - lastHeldAt < HELD_MS);
  return {
    holdsKeys,
    held(now) {
      lastHeldAt = now;
    },
    take(event, now) {
      if (holdsKeys(now) || answerKey.holds(event, now) || isRepeatedEnter(event)) return undefined;
      const done = panel.take(event, now);
      if (done) answerKey.answered(event, now);
      return done;
    },
    render(frame) {
      isDrawn = true;
      return panel.render(inWords(frame, plain));
    },
  };
}
