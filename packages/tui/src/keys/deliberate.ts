// Tells keys that answer from keys that were meant as text. A question may come up while someone types, so nothing that a
// text consists of may answer it: letters, digits, spaces, tabs, line ends, at whatever speed.

import type { InputEvent, Key } from "../input/event.ts";

/**
 * fresh: no key was pressed yet, so Enter takes the marked answer. steered: an arrow or the like came last, or Tab where
 * no text was typed before. numbered: a digit marked an answer, as the first key or after an arrow. typing: text came
 * last; Enter ends a line of it.
 */
type Intent = "fresh" | "steered" | "numbered" | "typing";

export class Deliberate {
  readonly #wasTyping: () => boolean;
  #intent: Intent = "fresh";

  /** `wasTyping`: someone was writing something else when the question came up. */
  constructor(wasTyping: () => boolean = () => false) {
    this.#wasTyping = wasTyping;
  }

  /** Call it with each event before using the event. */
  take(event: InputEvent): void {
    if (event.kind === "paste") this.#intent = "typing";
    if (event.kind !== "key") return;
    if (this.#intent === "fresh" && this.#wasTyping()) this.#intent = "typing";
    const isSteering = event.name === "tab" && !event.inText && (this.isSteered || this.#intent === "fresh");
    const isText = this.#intent === "typing" || this.#intent === "numbered";
    if (isText && correctsText(event)) this.#intent = "typing";
    else if (!writesText(event) || isSteering) this.#intent = "steered";
    else if (event.name === "enter") this.#intent = event.inText ? "typing" : this.#intent;
    else this.#intent = isDigit(event) && (this.isSteered || this.#intent === "fresh") ? "numbered" : "typing";
  }

  /** Whether Enter answers. */
  get mayAnswer(): boolean {
    return this.#intent !== "typing";
  }

  /** Whether a letter or a space may be a key for something, instead of text. */
  get isSteered(): boolean {
    return this.#intent === "steered";
  }

  get isNumbered(): boolean {
    return this.#intent === "numbered";
  }

  /** The last key was used as a key, although it writes. */
  steer(): void {
    this.#intent = "steered";
  }

  /** The last key was text after all. */
  type(): void {
    this.#intent = "typing";
  }
}

export const isDigit = ({ text = "", ctrl, alt, inText }: Key) => !ctrl && !alt && !inText && /^[1-9]$/.test(text);

const EDITING = new Set(["enter", "tab", "space", "backspace", "delete"]);
/** Terminals send the same for them as for Backspace, Tab and line ends. */
const CONTROLS = new Set(["h", "i", "j", "m"]);

const MOVING = new Set(["left", "right", "home", "end", "delete", "backspace"]);
/** Of shells and Emacs. */
const CORRECTING = new Set(["a", "b", "d", "e", "f", "k", "t", "u", "w", "y"]);

/** Whether people use a key to go about in what they write, or to change it. Enter after it ends what they wrote. */
const correctsText = ({ name, ctrl, alt }: Key) => MOVING.has(name) || ((ctrl || alt) && CORRECTING.has(name));

/** Whether a key is part of writing a text, also a text that is pasted without saying so. */
export function writesText({ name, text, ctrl, shift, super: command }: Key): boolean {
  if (name === "tab" && shift) return false;
  if (ctrl || command) return CONTROLS.has(name);
  return text !== undefined || EDITING.has(name);
}
