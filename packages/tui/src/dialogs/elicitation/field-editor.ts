// One field of a form on the screen: takes keys while it has the focus, and draws itself.

import type { InputEvent } from "../../input/event.ts";
import { wrap } from "../../screen/rows.ts";
import type { Theme } from "../../theme/theme.ts";
import type { KeyLookup } from "../../widgets/key-lookup.ts";
import type { EntryRows } from "../../widgets/list-rows.ts";
import { TextField } from "../../widgets/text-field.ts";
import { showAll, showRow } from "../visible.ts";
import { fieldValue, type FieldState, type FieldValue, type FormField } from "@keelson/client/form";

export class FieldEditor {
  readonly field: FormField;
  error: string | undefined;
  readonly #keys: KeyLookup;
  readonly #text: TextField | undefined;
  #flag: boolean | undefined;
  #picked: readonly string[] = [];
  #at = 0;

  constructor(field: FormField, keys: KeyLookup) {
    this.field = field;
    this.#keys = keys;
    if (field.kind === "boolean") this.#flag = field.initial;
    else if (field.kind === "choices") this.#picked = field.initial.filter((value) => this.#indexOf(value) >= 0);
    else if (field.kind === "choice") {
      this.#picked = field.initial !== undefined && this.#indexOf(field.initial) >= 0 ? [field.initial] : [];
      this.#at = Math.max(0, this.#indexOf(field.initial));
    } else this.#text = new TextField(field.initial);
  }

  get value(): FieldValue {
    return fieldValue(this.field, this.#state);
  }

  /** Moves of the focus are not for the field. */
  take(event: InputEvent): void {
    this.error = undefined;
    if (this.#text) return void this.#text.take(event);
    if (event.kind !== "key") return;
    const action = this.#keys.action(event, ["Confirmation", "Tabs"]);
    if (action === "confirm:toggle") return this.#toggle(this.#at);
    if (action === "tabs:next") return this.#step(1);
    if (action === "tabs:previous") return this.#step(-1);
    const digit = /^[1-9]$/.test(event.text ?? "") ? Number(event.text) - 1 : -1;
    if (digit >= 0 && digit < this.#options.length) {
      this.#at = digit;
      this.#toggle(digit);
    }
  }

  rows(columns: number, theme: Theme, isMarked: boolean, described: boolean): EntryRows {
    const { title, required, description } = this.field;
    const sign = isMarked ? theme.paint("accent", theme.ascii ? ">" : "❯") : " ";
    const star = required ? theme.paint("warning", " *") : "";
    const name = wrap(`${theme.paint(isMarked ? "accent" : "text", showRow(title))}${star}`, columns - 2);
    const rows = [`${sign} ${name[0]!}`, ...name.slice(1).map((row) => `  ${row}`)];
    if (described && description !== undefined)
      rows.push(...wrap(theme.paint("dim", showAll(description)), columns - 4).map((row) => `    ${row}`));
    const body = this.#body(columns - 4, theme, isMarked);
    const first = rows.length;
    rows.push(...body.rows.map((row) => `    ${row}`));
    if (this.error !== undefined)
      rows.push(...wrap(theme.paint("error", this.error), columns - 4).map((row) => `    ${row}`));
    const { cursor } = body;
    return { rows, ...(cursor ? { cursor: { row: first + cursor.row, column: cursor.column + 4 } } : {}) };
  }

  #body(columns: number, theme: Theme, isMarked: boolean): EntryRows {
    if (this.#text) {
      const drawn = this.#text.render({ columns, theme, rows: 3, placeholder: placeholderOf(this.field) });
      return isMarked ? { rows: drawn.rows, cursor: drawn.cursor } : { rows: drawn.rows };
    }
    const several = this.field.kind === "choices";
    const rows = this.#options.flatMap(({ value, title }, index) => {
      const on = this.#isOn(value);
      const style = isMarked && index === this.#at ? "accent" : "text";
      const label = `${mark(on, several, theme)} ${index + 1}. ${showRow(title)}`;
      return wrap(theme.paint(style, label), columns);
    });
    return { rows };
  }

  get #options(): readonly { readonly value: string; readonly title: string }[] {
    if (this.field.kind === "boolean") return YES_NO;
    return "options" in this.field ? this.field.options : [];
  }

  get #state(): FieldState {
    if (this.#text) return { text: this.#text.text };
    return this.field.kind === "boolean" ? { flag: this.#flag } : { picked: this.#picked };
  }

  #isOn(value: string): boolean {
    if (this.field.kind === "boolean") return this.#flag !== undefined && this.#flag === (value === "yes");
    return this.#picked.includes(value);
  }

  #indexOf(value: string | undefined): number {
    return this.#options.findIndex((option) => option.value === value);
  }

  #step(by: 1 | -1): void {
    this.#at = Math.max(0, Math.min(this.#options.length - 1, this.#at + by));
    if (this.field.kind !== "choices") this.#toggle(this.#at, true);
  }

  #toggle(index: number, keep = false): void {
    const value = this.#options[index]?.value;
    if (value === undefined) return;
    const on = this.#isOn(value) && !keep;
    if (this.field.kind === "boolean") this.#flag = on && !this.field.required ? undefined : value === "yes";
    else if (this.field.kind === "choice") this.#picked = on && !this.field.required ? [] : [value];
    else {
      const chosen = new Set(on ? this.#picked.filter((each) => each !== value) : [...this.#picked, value]);
      this.#picked = this.#options.flatMap((option) => (chosen.has(option.value) ? [option.value] : []));
    }
  }
}

const YES_NO = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];

function mark(on: boolean, several: boolean, theme: Theme): string {
  if (several) return on ? (theme.ascii ? "[x]" : "[✔]") : "[ ]";
  return on ? (theme.ascii ? "(*)" : "(●)") : "( )";
}

function placeholderOf(field: FormField): string {
  if (field.kind === "number") return field.whole ? "a whole number" : "a number";
  if (field.kind === "json") return "a JSON value";
  const hints: Readonly<Record<string, string>> = {
    email: "name@example.com",
    uri: "https://example.com",
    date: "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
  };
  const format = field.kind === "text" ? (field.format ?? "") : "";
  return Object.hasOwn(hints, format) ? hints[format]! : "type here";
}
