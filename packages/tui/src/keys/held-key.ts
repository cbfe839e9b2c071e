// A key that did something, such as Enter for an answer, does it once, however long it is held down. Terminals that report
// presses say which key repeats; from the others a repeated key comes like one that is pressed again, only faster.

import type { InputEvent, Key } from "../input/event.ts";

/** Between repeats of a key is less time, between two presses of someone who looks at the screen is more. */
const REPEAT_MS = 150;
/** Within this time after the press, a key that is held down repeats for the first time. */
const FIRST_REPEAT_MS = 1_100;

interface Waiting {
  readonly event: Key;
  readonly at: number;
  readonly focus: unknown;
}

export class HeldKey {
  /** What did something last, if no other key was pressed since. */
  #key: string | undefined;
  #usedAt = -Infinity;
  #lastAt = -Infinity;
  #isHeld = false;
  /** The same key again. Whether it repeats is known once the next one comes or does not. */
  #waiting: Waiting | undefined;

  /** `startedAt`: Enter started the program then, and may be held down since. */
  constructor(startedAt?: number) {
    if (startedAt === undefined) return;
    this.#key = ENTER;
    this.#usedAt = startedAt;
  }

  /** This key did something. */
  used(event: InputEvent, now: number): void {
    if (event.kind !== "key") return;
    this.#key = nameOf(event);
    this.#usedAt = now;
    this.#isHeld = false;
    this.#waiting = undefined;
  }

  /** The events to act on now. `focus` is what has the keys: a key that waited does not go to something else. */
  take(event: InputEvent, now: number, focus?: unknown): readonly InputEvent[] {
    if (event.kind === "reply" || event.kind === "focus") return [event];
    if (event.kind === "key" && event.press === "repeated") {
      this.#waiting = undefined;
      return [];
    }
    if (event.kind === "paste" || nameOf(event) !== this.#key || event.press === "reported") {
      const isSame = event.kind === "key" && nameOf(event) === this.#key;
      const before = isSame ? [] : this.#released(focus);
      this.#key = undefined;
      this.#waiting = undefined;
      return [...before, event];
    }
    const isQuick = now - this.#lastAt < REPEAT_MS;
    this.#lastAt = now;
    if (isQuick && (this.#isHeld || this.#waiting)) {
      this.#isHeld = true;
      this.#waiting = undefined;
      return [];
    }
    if (!this.#isHeld && now - this.#usedAt >= FIRST_REPEAT_MS) {
      this.#key = undefined;
      return [event];
    }
    this.#isHeld = false;
    this.#waiting = { event, at: now, focus };
    return [];
  }

  /** When the key that waits is due; undefined if none does. */
  dueAt(): number | undefined {
    return this.#waiting && this.#waiting.at + REPEAT_MS;
  }

  /** The key that waited, once it is due. */
  flush(now: number, focus?: unknown): readonly InputEvent[] {
    const dueAt = this.dueAt();
    if (dueAt === undefined || now < dueAt) return [];
    const released = this.#released(focus);
    this.#key = undefined;
    this.#waiting = undefined;
    return released;
  }

  #released(focus: unknown): readonly InputEvent[] {
    return this.#waiting && this.#waiting.focus === focus ? [this.#waiting.event] : [];
  }
}

const nameOf = ({ name, ctrl, alt, shift, super: command }: Pick<Key, "name" | "ctrl" | "alt" | "shift" | "super">) =>
  JSON.stringify([name, ctrl, alt, shift, command === true]);

const ENTER = nameOf({ name: "enter", ctrl: false, alt: false, shift: false });
