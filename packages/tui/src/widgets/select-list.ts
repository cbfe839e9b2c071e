// A list to choose from, one entry or several. Arrows move, Enter chooses, a digit chooses at once; an entry can have a
// text field of its own.

import type { InputEvent, Key } from "../input/event.ts";
import type { Frame, Rendered } from "../screen/view.ts";
import { typesText, type KeyLookup } from "./key-lookup.ts";
import { renderList, type ShownEntry } from "./list-rows.ts";
import { TextField } from "./text-field.ts";

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly description?: string;
  readonly disabled?: boolean;
  /** With a space above it, because it is of another kind. */
  readonly apart?: boolean;
  /** In a list for several: choosing it answers instead of ticking it. */
  readonly answers?: boolean;
  /** A text to go with it. `tab`: Tab opens the field; `marked`: it is open whenever the entry is marked. */
  readonly field?: { readonly opens: "tab" | "marked"; readonly placeholder: string };
}

export interface Chosen<T> {
  readonly value: T;
  /** What was written in its field. */
  readonly text: string;
}

export interface SelectListOptions {
  readonly keys: KeyLookup;
  /** Where keys are looked up. */
  readonly contexts?: readonly string[];
  /** Keys that write letters are looked up, too. */
  readonly letters?: boolean;
  readonly marked?: number;
  /** Space and Enter tick entries. */
  readonly several?: boolean;
  /** Typing narrows the list, so digits do not choose. */
  readonly filter?: boolean;
  readonly numbered?: boolean;
}

export class SelectList<T> {
  readonly choices: readonly Choice<T>[];
  readonly ticked = new Set<T>();
  readonly #options: SelectListOptions;
  readonly #fields = new Map<number, TextField>();
  readonly #filter = new TextField();
  #marked: number;
  #open = false;

  constructor(choices: readonly Choice<T>[], options: SelectListOptions) {
    this.choices = choices;
    this.#options = options;
    this.#marked = options.marked ?? 0;
    if (this.choices[this.#marked]?.disabled) this.#move(1);
  }

  get marked(): number {
    return this.#marked;
  }

  get markedChoice(): Choice<T> | undefined {
    return this.choices[this.#marked];
  }

  /** A text field has the keys. */
  get isWriting(): boolean {
    const field = this.markedChoice?.field;
    return field !== undefined && (field.opens === "marked" || this.#open);
  }

  /** It is one that Tab opened. */
  get isNoting(): boolean {
    return this.#open && this.isWriting;
  }

  /** The text written for an entry. */
  textOf(index: number): string {
    return this.#fields.get(index)?.text ?? "";
  }

  get filter(): string {
    return this.#filter.text;
  }

  mark(index: number): void {
    this.#marked = index;
    this.#open = false;
  }

  /** Closes the field that Tab opened; its text stays. False if none was open. */
  closeField(): boolean {
    const closed = this.isNoting;
    this.#open = false;
    return closed;
  }

  take(event: InputEvent): Chosen<T> | undefined {
    if (this.isWriting) return this.#write(event);
    if (event.kind !== "key") {
      if (this.#options.filter && event.kind === "paste") this.#narrow(event);
      return undefined;
    }
    return this.#act(event) ?? this.#digit(event);
  }

  render(frame: Frame): Rendered {
    const { filter, several = false, numbered = !filter } = this.#options;
    const entries = this.#showAll().map((index): ShownEntry => {
      const choice = this.choices[index]!;
      const isMarked = index === this.#marked;
      const text = this.textOf(index);
      const open = isMarked && this.isWriting;
      return {
        ...choice,
        ...(numbered ? { number: index + 1 } : {}),
        isMarked,
        ...(several && !choice.answers ? { ticked: this.isTicked(index) } : {}),
        ...(open ? { field: this.#fieldOf(index), placeholder: choice.field!.placeholder } : { field: undefined }),
        written: open ? "" : text,
      };
    });
    return renderList(entries, frame, { numbers: numbered ? this.choices.length : 0, filter: filter && this.filter });
  }

  isTicked(index: number): boolean {
    const { value, field } = this.choices[index]!;
    return field?.opens === "marked" ? this.textOf(index).trim() !== "" : this.ticked.has(value);
  }

  #write(event: InputEvent): Chosen<T> | undefined {
    const action = event.kind === "key" && !typesText(event) ? this.#meaning(event) : undefined;
    const { field } = this.markedChoice!;
    switch (action) {
      case "accept":
        return this.#chosen();
      case "next":
      case "previous":
        return void this.#move(action === "next" ? 1 : -1);
      case "field":
        if (field!.opens === "tab") this.closeField();
        return undefined;
      default:
        this.#fieldOf(this.#marked).take(event);
        return undefined;
    }
  }

  #act(key: Key): Chosen<T> | undefined {
    switch (this.#meaning(key)) {
      case "next":
        return void this.#move(1);
      case "previous":
        return void this.#move(-1);
      case "first":
        return void this.#jump(0, 1);
      case "last":
        return void this.#jump(this.choices.length - 1, -1);
      case "accept":
        return this.#accept();
      case "toggle":
        if (this.#options.several) this.#accept();
        else if (this.#options.filter) this.#narrow(key);
        return undefined;
      case "field":
        if (this.markedChoice?.field && !this.markedChoice.disabled) this.#open = true;
        return undefined;
      default:
        if (this.#options.filter) this.#narrow(key);
        return undefined;
    }
  }

  #digit({ text = "", ctrl, alt }: Key): Chosen<T> | undefined {
    if (this.#options.filter || this.#options.numbered === false || ctrl || alt || !/^[1-9]$/.test(text))
      return undefined;
    const index = Number(text) - 1;
    const choice = this.choices[index];
    if (!choice || choice.disabled) return undefined;
    this.mark(index);
    return choice.field?.opens === "marked" ? undefined : this.#accept();
  }

  #accept(): Chosen<T> | undefined {
    const choice = this.markedChoice;
    if (!choice || choice.disabled || !this.#showAll().includes(this.#marked)) return undefined;
    if (!this.#options.several || choice.answers) return this.#chosen();
    if (!this.ticked.delete(choice.value)) this.ticked.add(choice.value);
    return undefined;
  }

  #chosen(): Chosen<T> {
    return { value: this.markedChoice!.value, text: this.textOf(this.#marked).trim() };
  }

  #fieldOf(index: number): TextField {
    let field = this.#fields.get(index);
    if (!field) this.#fields.set(index, (field = new TextField()));
    return field;
  }

  #narrow(event: InputEvent): void {
    if (!this.#filter.take(event)) return;
    const visible = this.#showAll();
    if (!visible.includes(this.#marked) && visible.length > 0) this.mark(visible[0]!);
  }

  #showAll(): number[] {
    const words = this.filter.toLowerCase().split(/\s+/);
    const all = this.choices.map((_, index) => index);
    if (this.filter.trim() === "") return all;
    return all.filter((index) => {
      const { label, description = "" } = this.choices[index]!;
      const text = `${label} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #move(by: 1 | -1): void {
    const visible = this.#showAll();
    const at = visible.indexOf(this.#marked);
    this.#jump(visible[at + by] ?? this.#marked, by, visible);
  }

  /** Marks the entry, or the next one that can be chosen. */
  #jump(to: number, by: 1 | -1, visible: readonly number[] = this.#showAll()): void {
    for (let at = visible.indexOf(to); at >= 0 && at < visible.length; at += by) {
      const index = visible[at]!;
      if (this.choices[index]!.disabled) continue;
      if (index !== this.#marked) this.mark(index);
      return;
    }
  }

  /** What a key means here. Home and End are not bound: they mean the same everywhere. */
  #meaning(key: Key): string | undefined {
    const { keys, contexts = ["Confirmation"], letters = false } = this.#options;
    if (typesText(key) && key.name !== "space" && !letters) return undefined;
    const action = keys.action(key, contexts);
    const bound = action === undefined ? undefined : MEANINGS[action];
    if (bound !== undefined) return bound;
    if (this.isWriting || key.ctrl || key.alt || key.shift) return undefined;
    return key.name === "home" ? "first" : key.name === "end" ? "last" : undefined;
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  "confirm:yes": "accept",
  "confirm:previous": "previous",
  "confirm:next": "next",
  "confirm:nextField": "field",
  "confirm:toggle": "toggle",
  "select:accept": "accept",
  "select:previous": "previous",
  "select:next": "next",
};
