// A form: fields above each other, then the buttons. Nothing is sent until every field is valid.

import type { Json, JsonObject } from "@keelson/protocol";
import type { InputEvent, Key } from "../../input/event.ts";
import type { Done, Frame, Panel, Rendered } from "../../screen/view.ts";
import { headingRow, hintRows, type HeadingOptions, type Hint } from "../../widgets/heading.ts";
import { Deliberate } from "../../keys/deliberate.ts";
import { typesText, type KeyLookup } from "../../widgets/key-lookup.ts";
import { fitEntries, type EntryRows } from "../../widgets/list-rows.ts";
import { ScrollText, type RowsFor } from "../../widgets/scroll-text.ts";
import { stacked } from "../../widgets/stacked.ts";
import { FieldEditor } from "./field-editor.ts";
import type { FormField } from "@keelson/client/form";

export type FormResult =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

export interface FormPanelOptions {
  readonly heading: HeadingOptions;
  readonly message: RowsFor;
  readonly keys: KeyLookup;
  /** Someone was writing something else when the form came up. */
  wasTyping?(): boolean;
}

const BUTTONS = ["Send", "Decline"] as const;

export class FormPanel implements Panel<FormResult> {
  readonly #fields: readonly FieldEditor[];
  readonly #message: ScrollText;
  readonly #heading: HeadingOptions;
  readonly #keys: KeyLookup;
  readonly #deliberate: Deliberate;
  #focus = 0;

  constructor(fields: readonly FormField[], options: FormPanelOptions) {
    const { heading, message, keys, wasTyping } = options;
    this.#deliberate = new Deliberate(wasTyping);
    this.#fields = fields.map((field) => new FieldEditor(field, keys));
    this.#message = new ScrollText(message, keys);
    this.#heading = heading;
    this.#keys = keys;
  }

  take(event: InputEvent): Done<FormResult> | undefined {
    this.#deliberate.take(event);
    const field = this.#fields[this.#focus];
    if (event.kind !== "key" || (typesText(event) && event.name !== "space")) return void field?.take(event);
    switch (this.#meaning(event, field)) {
      case "cancel":
        return { value: { action: "cancel" } };
      case "next":
        return void this.#move(1);
      case "previous":
        return void this.#move(-1);
      case "accept":
        return this.#press();
      case "scroll":
        return undefined;
      default:
        return void field?.take(event);
    }
  }

  render(frame: Frame): Rendered {
    const { columns, theme } = frame;
    return stacked(frame, {
      head: [headingRow(columns, theme, this.#heading)],
      body: this.#message,
      question: [],
      list: (rows) => this.#list({ ...frame, rows }),
      foot: hintRows(this.#focus === this.#fields.length ? SEND_HINTS : HINTS, columns, theme, this.#keys),
    });
  }

  #meaning(key: Key, field: FieldEditor | undefined): string | undefined {
    const action = this.#keys.action(key, ["Confirmation", "Global"]);
    switch (action) {
      case "app:interrupt":
      case "confirm:no":
        return "cancel";
      case "confirm:next":
      case "confirm:nextField":
        return "next";
      case "confirm:previous":
      case "confirm:cycleMode":
        return "previous";
      case "confirm:yes":
        return "accept";
      case "confirm:toggle":
        return field ? undefined : "accept";
      default:
        return this.#message.take(key) ? "scroll" : undefined;
    }
  }

  #press(): Done<FormResult> | undefined {
    if (this.#focus < this.#fields.length) return void this.#move(1);
    if (this.#focus > this.#fields.length) return { value: { action: "decline" } };
    // The line ends of a text lead here, but do not send it. A form without fields is a question.
    if (!this.#deliberate.isSteered && (this.#fields.length > 0 || !this.#deliberate.mayAnswer)) return undefined;
    const content: Record<string, Json> = {};
    let wrong = -1;
    this.#fields.forEach((editor, index) => {
      const { value, error } = editor.value;
      editor.error = error;
      if (error !== undefined && wrong < 0) wrong = index;
      if (value !== undefined) content[editor.field.name] = value;
    });
    if (wrong < 0) return { value: { action: "accept", content } };
    this.#focus = wrong;
    return undefined;
  }

  #move(by: 1 | -1): void {
    const left = this.#fields[this.#focus];
    if (left) left.error = left.value.error;
    this.#focus = Math.max(0, Math.min(this.#fields.length + BUTTONS.length - 1, this.#focus + by));
  }

  #list(frame: Frame): Rendered {
    const { columns, theme, rows } = frame;
    const draw = (all: boolean): EntryRows[] => [
      ...this.#fields.map((editor, index) => {
        const isMarked = index === this.#focus;
        return editor.rows(columns, theme, isMarked, all || isMarked);
      }),
      ...BUTTONS.map((label, index) => {
        const isMarked = this.#focus === this.#fields.length + index;
        const sign = isMarked ? theme.paint("accent", theme.ascii ? ">" : "❯") : " ";
        return { rows: [`${sign} ${theme.paint(isMarked ? "accent" : "text", label)}`] };
      }),
    ];
    const full = draw(true);
    const height = full.reduce((sum, entry) => sum + entry.rows.length, 0);
    return fitEntries(height <= rows ? full : draw(false), this.#focus, frame);
  }
}

const SEND_HINTS: readonly Hint[] = [
  { key: "↑ ↓ Enter", does: "send" },
  { action: "confirm:no", does: "cancel" },
];

const HINTS: readonly Hint[] = [
  { action: "confirm:nextField", does: "next field" },
  { action: "confirm:toggle", does: "tick" },
  { action: "confirm:yes", does: "next" },
  { action: "confirm:no", does: "cancel" },
];
