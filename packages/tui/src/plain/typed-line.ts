// Echoes a line as it is typed with nothing but characters, backspaces and new lines.

import { graphemes, width } from "../screen/rows.ts";
import { cleanRow } from "../screen/clean.ts";

export interface Typed {
  readonly text: string;
  readonly cursor: number;
}

export class TypedLine {
  readonly #prompt: string;
  /** What is on the screen after the prompt. Undefined if there is no prompt on the screen. */
  #shown: { readonly text: string; readonly before: string } | undefined;

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /** What turns the line on the screen into this one. */
  become({ text, cursor }: Typed, columns: number): string {
    const [before, after] = [echoed(text.slice(0, cursor)), echoed(text.slice(cursor))];
    const next = { text: before + after, before };
    const old = this.#shown;
    this.#shown = next;
    if (old === undefined) return this.#prompt + next.text + back(after);
    if (old.text === next.text && old.before === next.before) return "";
    const longest = width(this.#prompt) + Math.max(width(old.text), width(next.text));
    // A backspace does not leave its row. Then the line is written again below.
    if (longest >= columns && !next.text.startsWith(old.text)) return `\r\n${this.#prompt}${next.text}${back(after)}`;
    const same = commonStart(old.before, next.text);
    const tail = next.text.slice(same.length);
    const lost = Math.max(0, width(old.text) - width(next.text));
    return back(old.before.slice(same.length)) + tail + " ".repeat(lost) + "\b".repeat(lost) + back(after);
  }

  /** Leaves the line as it is and goes to a new one. */
  leave(): string {
    const shown = this.#shown;
    this.#shown = undefined;
    return shown === undefined ? "" : "\r\n";
  }
}

function echoed(text: string): string {
  return cleanRow(text);
}

function back(text: string): string {
  return "\b".repeat(width(text));
}

/** By what is seen as one character. */
function commonStart(a: string, b: string): string {
  let length = 0;
  const others = graphemes(b);
  for (const [grapheme] of graphemes(a)) {
    const other = others.next();
    if (other.done || other.value[0] !== grapheme) break;
    length += grapheme.length;
  }
  return a.slice(0, length);
}
