// A text field of one or several rows inside a dialog, with the editing keys of the prompt.

import type { InputEvent, Key } from "../input/event.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";

export interface FieldLook {
  readonly columns: number;
  readonly theme: Theme;
  /** At most this many rows; the one with the cursor is always among them. */
  readonly rows?: number;
  readonly placeholder?: string;
}

const segmenter = new Intl.Segmenter();

export class TextField {
  #before: string;
  #after = "";
  #cut = "";
  readonly #multiline: boolean;

  constructor(text = "", options: { readonly multiline?: boolean } = {}) {
    this.#multiline = options.multiline === true;
    this.#before = this.#fitting(text);
  }

  get text(): string {
    return this.#before + this.#after;
  }

  set text(text: string) {
    this.#before = this.#fitting(text);
    this.#after = "";
  }

  /** Whether the key or paste was one for the field. */
  take(event: InputEvent): boolean {
    if (event.kind === "paste") return this.#insert(event.text);
    if (event.kind !== "key") return false;
    if (event.ctrl) return this.#control(event);
    if (event.alt) return this.#word(event);
    if (event.name === "enter") return event.shift && this.#multiline && this.#insert("\n");
    return this.#plain(event);
  }

  render({ columns, theme, rows: most = 1, placeholder = "" }: FieldLook): Rendered {
    if (this.text === "") {
      return { rows: [theme.paint("dim", fit(cleanRow(placeholder), columns - 1))], cursor: { row: 0, column: 0 } };
    }
    const cells = Math.max(2, columns);
    const before = layOut(this.#before, cells);
    const rows = layOut(this.#after, cells, before);
    const row = before.length - 1;
    const column = width(before[row]!);
    const first = Math.max(0, Math.min(row - most + 1, rows.length - most));
    return { rows: rows.slice(first, first + most), cursor: { row: row - first, column } };
  }

  #plain({ name, text }: Key): boolean {
    switch (name) {
      case "left":
        return this.#move(-lastOf(this.#before).length);
      case "right":
        return this.#move(firstOf(this.#after).length);
      case "home":
        return this.#move(-lineBefore(this.#before).length);
      case "end":
        return this.#move(lineAfter(this.#after).length);
      case "backspace":
        return this.#erase(lastOf(this.#before).length);
      case "delete":
        this.#after = this.#after.slice(firstOf(this.#after).length);
        return true;
      default:
        return text !== undefined && this.#insert(text);
    }
  }

  #control(key: Key): boolean {
    switch (key.name) {
      case "a":
        return this.#move(-lineBefore(this.#before).length);
      case "e":
        return this.#move(lineAfter(this.#after).length);
      case "b":
        return this.#move(-lastOf(this.#before).length);
      case "f":
        return this.#move(firstOf(this.#after).length);
      case "h":
        return this.#erase(lastOf(this.#before).length);
      case "d":
        return this.#plain({ ...key, name: "delete" });
      case "u":
        return this.#erase(lineBefore(this.#before).length, true);
      case "k":
        return this.#eraseAfter(lineAfter(this.#after).length);
      case "w":
      case "backspace":
        return this.#erase(wordBefore(this.#before).length, true);
      case "y":
        return this.#insert(this.#cut);
      case "j":
        return this.#multiline && this.#insert("\n");
      case "left":
      case "right":
        return this.#word({ ...key, name: key.name === "left" ? "b" : "f" });
      default:
        return false;
    }
  }

  #word({ name }: Key): boolean {
    switch (name) {
      case "b":
      case "left":
        return this.#move(-wordBefore(this.#before).length);
      case "f":
      case "right":
        return this.#move(wordAfter(this.#after).length);
      case "d":
        return this.#eraseAfter(wordAfter(this.#after).length);
      case "backspace":
        return this.#erase(wordBefore(this.#before).length, true);
      case "enter":
        return this.#multiline && this.#insert("\n");
      default:
        return false;
    }
  }

  #insert(text: string): boolean {
    this.#before += this.#fitting(text);
    return true;
  }

  #move(by: number): boolean {
    const at = this.#before.length + by;
    const { text } = this;
    this.#before = text.slice(0, at);
    this.#after = text.slice(at);
    return true;
  }

  #erase(length: number, keep = false): boolean {
    const at = this.#before.length - length;
    if (keep && length > 0) this.#cut = this.#before.slice(at);
    this.#before = this.#before.slice(0, at);
    return true;
  }

  #eraseAfter(length: number): boolean {
    if (length > 0) this.#cut = this.#after.slice(0, length);
    this.#after = this.#after.slice(length);
    return true;
  }

  #fitting(text: string): string {
    const lines = text.replaceAll(/\r\n?/g, "\n");
    return this.#multiline ? lines : lines.replaceAll("\n", " ");
  }
}

const firstOf = (text: string) => segmenter.segment(text)[Symbol.iterator]().next().value?.segment ?? "";

/** Looks at the end only: a long text must not slow a key down. */
function lastOf(text: string): string {
  return [...segmenter.segment(text.slice(-64))].at(-1)?.segment ?? "";
}

const lineBefore = (text: string) => text.slice(text.lastIndexOf("\n") + 1);
const lineAfter = (text: string) => text.split("\n", 1)[0]!;
const wordBefore = (text: string) => /[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text)![0];
const wordAfter = (text: string) => /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text)![0];

/** Rows of at most `columns`, going on in the last of `rows`. A cursor behind a full row goes to the next one. */
function layOut(text: string, columns: number, rows: readonly string[] = [""]): string[] {
  const laid = [...rows];
  let used = width(laid.at(-1)!);
  for (const { segment } of segmenter.segment(text)) {
    if (segment === "\n") {
      laid.push("");
      used = 0;
      continue;
    }
    const shown = fit(cleanRow(segment), columns - 1);
    used += width(shown);
    if (used > columns - 1) {
      laid.push("");
      used = width(shown);
    }
    laid[laid.length - 1] += shown;
  }
  return laid;
}
