// A list to choose from, one entry or several. Arrows and digits mark, Enter chooses; an entry can have a text field of
// its own. What is typed goes to the entry that is there for it, and never chooses another.

import type { InputEvent, Key } from "../input/event.ts";
import type { Frame, Rendered } from "../screen/view.ts";
import { Deliberate, isDigit } from "../keys/deliberate.ts";
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
  /** What is typed without choosing anything belongs to it. It must be the cautious answer. */
  readonly takesTyping?: boolean;
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
  /** No answer has consequences, so Enter also chooses after something was typed. */
  readonly harmless?: boolean;
  /** Someone was writing something else when the list came up. */
  wasTyping?(): boolean;
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
  readonly #deliberate: Deliberate;
  /** Digits that marked entries: part of a text if more follows. */
  #digits = "";
  #marked: number;
  #open = false;
  /** The open field was opened on purpose, so Enter in it answers. */
  #notes = false;

  constructor(choices: readonly Choice<T>[], options: SelectListOptions) {
    this.choices = choices;
    this.#options = options;
    this.#deliberate = new Deliberate(options.wasTyping);
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

  /** Text was typed that no answer takes: an arrow has to come before Enter. */
  get awaitsArrow(): boolean {
    const { harmless, filter } = this.#options;
    return !harmless && !filter && !this.#notes && !this.#deliberate.mayAnswer && !this.markedChoice?.takesTyping;
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
    this.#leaveField();
  }

  /** Closes the field that Tab opened, for a key that is not text; what was written stays. False if none was open. */
  closeField(): boolean {
    const closed = this.isNoting;
    this.#leaveField();
    if (closed) this.#deliberate.steer();
    return closed;
  }

  take(event: InputEvent): Chosen<T> | undefined {
    if (event.kind === "key" && !typesText(event)) this.#digits = "";
    this.#deliberate.take(event);
    if (this.isWriting) return this.#write(event);
    if (this.#options.filter) {
      if (event.kind === "key") return this.#act(event);
      if (event.kind === "paste") this.#narrow(event);
      return undefined;
    }
    if (event.kind === "paste") return void this.#type(event);
    if (event.kind !== "key") return undefined;
    const ticks = this.#options.several && event.name === "space" && this.#digits === "";
    if (!typesText(event) || ticks) return this.#act(event);
    // Where nothing can be typed and nothing has consequences, a digit is enough.
    const isEnough = this.#options.harmless && this.#typingEntry() < 0;
    if (isDigit(event) && (isEnough || this.#deliberate.isNumbered) && this.#markNumber(event))
      return isEnough ? this.#accept() : undefined;
    return void this.#type(event);
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
        if (this.awaitsArrow) return void this.#leaveField();
        return this.#chosen();
      case "next":
      case "previous": {
        const before = this.#marked;
        this.#move(action === "next" ? 1 : -1);
        if (this.#marked === before) this.#leaveField();
        return undefined;
      }
      case "field":
        if (field!.opens === "tab") this.#leaveField();
        return undefined;
      default:
        this.#fieldOf(this.#marked).take(event);
        return undefined;
    }
  }

  #leaveField(): void {
    this.#open = false;
    this.#notes = false;
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
        if (!this.markedChoice?.field || this.markedChoice.disabled) return undefined;
        this.#open = true;
        this.#notes = this.#deliberate.mayAnswer;
        return undefined;
      default:
        if (this.#options.filter) this.#narrow(key);
        return undefined;
    }
  }

  /** Only marks: a digit may be the first character of a text. */
  #markNumber({ text = "" }: Key): boolean {
    const index = Number(text) - 1;
    const choice = this.choices[index];
    if (this.#options.numbered === false || !choice || choice.disabled) return false;
    this.mark(index);
    this.#digits += text;
    if (this.#options.several && choice.field?.opens !== "marked" && !choice.answers) {
      this.#tick(choice.value);
      this.#deliberate.steer(); // more digits tick more
    }
    return true;
  }

  /** Writes in the field of the entry that takes what is typed. */
  #type(event: InputEvent): void {
    const digits = this.#digits;
    this.#digits = "";
    this.#deliberate.type();
    const index = this.#typingEntry();
    if (index < 0) return;
    if (this.#options.several) for (const digit of digits) this.#tick(this.choices[Number(digit) - 1]!.value);
    this.mark(index);
    if (!this.choices[index]!.field) return;
    this.#open = true;
    if (digits !== "") this.#fieldOf(index).take({ kind: "paste", text: digits });
    this.#fieldOf(index).take(event);
  }

  #accept(): Chosen<T> | undefined {
    const choice = this.markedChoice;
    if (this.awaitsArrow) return undefined;
    if (!choice || choice.disabled || !this.#showAll().includes(this.#marked)) return undefined;
    if (!this.#options.several || choice.answers) return this.#chosen();
    this.#tick(choice.value);
    return undefined;
  }

  #tick(value: T): void {
    if (!this.ticked.delete(value)) this.ticked.add(value);
  }

  #typingEntry(): number {
    return this.choices.findIndex(({ takesTyping, disabled }) => takesTyping && !disabled);
  }

  #chosen(): Chosen<T> {
    this.#deliberate.steer(); // if it comes up again, it is not for the text before
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
    const { keys, contexts = ["Confirmation"] } = this.#options;
    if (typesText(key) && key.name !== "space") return undefined;
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
