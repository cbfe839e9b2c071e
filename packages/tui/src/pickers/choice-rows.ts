// A short list of choices with numbers: which one is marked, and what a key does to it. A digit marks, Enter chooses.

import type { InputEvent } from "../input/event.ts";
import { fit } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";
import { Deliberate, isDigit } from "../keys/deliberate.ts";
import { typesText, type KeyLookup } from "../widgets/key-lookup.ts";
import { movedIndex, windowStart } from "./list-window.ts";

export interface ChoiceLook {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

export interface ChoiceRow {
  /** Clean. */
  readonly label: string;
  /** Clean; in the same row if there is room. */
  readonly detail?: string;
  /** The one in force. */
  readonly isCurrent?: boolean;
}

/** Fewer columns of a long detail say nothing. */
const LEAST_DETAIL = 8;

export class ChoiceList {
  selected: number;
  readonly #harmless: boolean;
  readonly #deliberate: Deliberate;
  #first = 0;
  #visible = 1;

  /** `harmless`: no choice has consequences. `afterTyping`: it follows a line that was written. */
  constructor(selected = 0, options: { readonly harmless?: boolean; readonly afterTyping?: boolean } = {}) {
    this.selected = selected;
    this.#harmless = options.harmless === true;
    this.#deliberate = new Deliberate(() => options.afterTyping === true);
  }

  /** Text was typed: an arrow has to come before Enter. */
  get awaitsArrow(): boolean {
    return !this.#harmless && !this.#deliberate.mayAnswer;
  }

  /** `accept`, `cancel`, or undefined if it only moved or the key has no meaning here. */
  take(
    event: InputEvent,
    count: number,
    keys: KeyLookup,
    contexts: readonly string[] = [],
  ): "accept" | "cancel" | undefined {
    this.#deliberate.take(event);
    if (event.kind !== "key") return undefined;
    if (this.#deliberate.isNumbered && isDigit(event) && Number(event.text) <= count) {
      this.selected = Number(event.text) - 1;
      return this.#harmless ? "accept" : undefined;
    }
    const action = keys.action(event, [...contexts, "Select"]);
    if (action === "select:accept") return count === 0 || this.awaitsArrow || typesText(event) ? undefined : "accept";
    if (action === "select:cancel") return "cancel";
    const moved = action === undefined ? undefined : movedIndex(action, this.selected, count, this.#visible);
    if (moved !== undefined) this.selected = moved;
    return undefined;
  }

  render(choices: readonly ChoiceRow[], { columns, rows, theme }: ChoiceLook): readonly string[] {
    this.selected = Math.max(0, Math.min(this.selected, choices.length - 1));
    this.#visible = Math.max(1, rows);
    this.#first = windowStart(this.#first, this.selected, this.#visible, choices.length);
    const most = Math.max(0, ...choices.map(({ label }) => Bun.stringWidth(label)));
    return choices.slice(this.#first, this.#first + this.#visible).map((choice, offset) => {
      const index = this.#first + offset;
      const isSelected = index === this.selected;
      const sign = isSelected ? (theme.ascii ? ">" : "❯") : " ";
      const tick = choice.isCurrent ? (theme.ascii ? " *" : " ✔") : "";
      const number = index < 9 ? `${index + 1}.` : "  ";
      const label = `${sign} ${number} ${choice.label}${tick}`;
      const room = columns - Math.max(most + 9, Bun.stringWidth(label) + 1);
      if (choice.detail === undefined || room < Math.min(LEAST_DETAIL, Bun.stringWidth(choice.detail)))
        return paintRow(fit(label, columns), isSelected, theme);
      const gap = " ".repeat(Math.max(1, most + 9 - Bun.stringWidth(label)));
      const row = `${isSelected ? theme.paint("suggestion", label) : label}${gap}${theme.paint("dim", choice.detail)}`;
      return fit(row, columns);
    });
  }
}

const paintRow = (row: string, isSelected: boolean, theme: Theme) =>
  isSelected ? theme.paint("suggestion", row) : row;
