// The keys of plain editing: those of Emacs and readline, and those printed on the keyboard.

import type { Key } from "../input/event.ts";
import { isBefore, type TextBuffer, type TextPoint } from "./text-buffer.ts";
import { argumentLeft, wordLeft, wordRight } from "./text/words.ts";
import type { KillRing } from "./text/kill-ring.ts";
import { spellKey } from "../keys/keystroke.ts";

/** A buffer, what was cut from it, and where the last yank went. */
export class Editing {
  readonly #buffer: TextBuffer;
  readonly #kills: KillRing;
  #yanked: TextPoint | undefined;

  constructor(buffer: TextBuffer, kills: KillRing) {
    this.#buffer = buffer;
    this.#kills = kills;
  }

  /** Does what a key does to the text. False if it does nothing to it. */
  take(key: Key): boolean {
    // There is no selection: shift makes no difference to a move.
    const chord = spellKey(key.text === undefined ? { ...key, shift: false } : key);
    const cut = CUTS[chord];
    if (cut) {
      this.#yanked = undefined;
      const { cursor } = this.#buffer;
      const target = cut(this.#buffer);
      const side = isBefore(target, cursor) ? "start" : "end";
      this.#kills.add(this.#buffer.removeTo(target), side);
      return true;
    }
    this.#kills.rest();
    if (chord === "ctrl+y") return this.#yank();
    if (chord === "alt+y") return this.#yankNext();
    this.#yanked = undefined;
    const move = MOVES[chord];
    if (move) {
      this.#buffer.moveTo(move(this.#buffer));
      return true;
    }
    const removal = REMOVALS[chord];
    if (removal) {
      this.#buffer.removeTo(removal(this.#buffer));
      return true;
    }
    if (key.text === undefined || key.ctrl || key.alt) return false;
    this.#buffer.insert(key.text, true);
    return true;
  }

  /** What was removed by other means can be yanked, too. */
  keep(text: string): void {
    this.rest();
    this.#kills.add(text, "end");
    this.rest();
  }

  /** Something else happened: the next cut is a new one, and there is no yank to exchange. */
  rest(): void {
    this.#kills.rest();
    this.#yanked = undefined;
  }

  #yank(): boolean {
    const text = this.#kills.newest();
    const start = this.#buffer.cursor;
    if (text !== undefined) this.#buffer.insert(text);
    this.#yanked = text === undefined ? undefined : start;
    return true;
  }

  #yankNext(): boolean {
    if (!this.#yanked) return true;
    this.#buffer.replace(this.#yanked, this.#buffer.cursor, this.#kills.next() ?? "");
    return true;
  }
}

type Target = (buffer: TextBuffer) => TextPoint;

const charLeft: Target = (buffer) => buffer.leftOf(buffer.cursor);
const charRight: Target = (buffer) => buffer.rightOf(buffer.cursor);
const previousWord: Target = (buffer) => wordLeft(buffer, buffer.cursor);
const nextWord: Target = (buffer) => wordRight(buffer, buffer.cursor);
const lineStart: Target = (buffer) => buffer.lineStart();
const lineEnd: Target = (buffer) => buffer.lineEnd();
const textStart: Target = () => ({ line: 0, offset: 0 });
const textEnd: Target = (buffer) => buffer.end;

const MOVES: Readonly<Record<string, Target>> = {
  left: charLeft,
  "ctrl+b": charLeft,
  right: charRight,
  "ctrl+f": charRight,
  "ctrl+left": previousWord,
  "alt+left": previousWord,
  "alt+b": previousWord,
  "ctrl+right": nextWord,
  "alt+right": nextWord,
  "alt+f": nextWord,
  home: lineStart,
  "ctrl+a": lineStart,
  "super+left": lineStart,
  end: lineEnd,
  "ctrl+e": lineEnd,
  "super+right": lineEnd,
  "ctrl+home": textStart,
  "alt+<": textStart,
  "super+up": textStart,
  "ctrl+end": textEnd,
  "alt+>": textEnd,
  "super+down": textEnd,
};

const REMOVALS: Readonly<Record<string, Target>> = {
  backspace: charLeft,
  "ctrl+h": charLeft,
  delete: charRight,
  "ctrl+d": charRight,
};

/** At the start or the end of a line, the line break goes. */
const CUTS: Readonly<Record<string, Target>> = {
  "ctrl+k": (buffer) => (buffer.cursor.offset < lineEnd(buffer).offset ? lineEnd(buffer) : charRight(buffer)),
  "ctrl+u": (buffer) => (buffer.cursor.offset > 0 ? lineStart(buffer) : charLeft(buffer)),
  "super+backspace": (buffer) => (buffer.cursor.offset > 0 ? lineStart(buffer) : charLeft(buffer)),
  "ctrl+w": (buffer) => argumentLeft(buffer, buffer.cursor),
  "alt+backspace": previousWord,
  "ctrl+backspace": previousWord,
  "alt+d": nextWord,
  "alt+delete": nextWord,
  "ctrl+delete": nextWord,
};
