// A text field of one or several rows inside a dialog, with the editing keys of the prompt.

import { Editing } from "../editor/editing.ts";
import { TextBuffer } from "../editor/text-buffer.ts";
import { KillRing } from "../editor/text/kill-ring.ts";
import { shownBetween } from "../editor/text/line.ts";
import { Viewport } from "../editor/text/viewport.ts";
import type { InputEvent, Key } from "../input/event.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";

export interface FieldLook {
  readonly columns: number;
  readonly theme: Theme;
  /** At most this many rows; the one with the cursor is always among them. */
  readonly rows?: number;
  readonly placeholder?: string;
}

export class TextField {
  readonly #buffer = new TextBuffer();
  readonly #editing = new Editing(this.#buffer, new KillRing());
  readonly #viewport = new Viewport();
  readonly #multiline: boolean;

  constructor(text = "", options: { readonly multiline?: boolean } = {}) {
    this.#multiline = options.multiline === true;
    this.text = text;
  }

  get text(): string {
    return this.#buffer.text();
  }

  set text(text: string) {
    this.#buffer.reset(this.#fitting(text));
  }

  /** Whether the key or paste was one for the field. */
  take(event: InputEvent): boolean {
    if (event.kind === "paste") return this.#insert(event.text);
    if (event.kind !== "key") return false;
    if (isUndo(event)) {
      this.#editing.rest();
      this.#buffer.undo();
      return true;
    }
    if (event.name === "enter" || (event.name === "j" && event.ctrl)) {
      const breaks = this.#multiline && (event.shift || event.alt || event.ctrl);
      return breaks && this.#insert("\n");
    }
    return this.#editing.take(event);
  }

  render({ columns, theme, rows: most = 1, placeholder = "" }: FieldLook): Rendered {
    if (this.#buffer.isEmpty) {
      return { rows: [theme.paint("dim", fit(cleanRow(placeholder), columns - 1))], cursor: { row: 0, column: 0 } };
    }
    // One column is left for the cursor behind a full row.
    const { rows, cursor } = this.#viewport.visible(this.#buffer, Math.max(1, columns - 1), most);
    return { rows: rows.map(({ line, start, end }) => shownBetween(this.#buffer.lineText(line), start, end)), cursor };
  }

  #insert(text: string): boolean {
    this.#editing.rest();
    this.#buffer.insert(this.#fitting(text));
    return true;
  }

  #fitting(text: string): string {
    const lines = text.replaceAll(/\r\n?/g, "\n");
    return this.#multiline ? lines : lines.replaceAll("\n", " ");
  }
}

/** Terminals send different keys for the same chord. */
const isUndo = ({ ctrl, name, shift }: Key) => ctrl && (name === "_" || (name === "-" && shift));
