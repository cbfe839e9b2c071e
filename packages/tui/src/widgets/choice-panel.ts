// The common shape of a dialog: a heading, text that can be scrolled, a question with entries to choose from, and a row
// of keys. What the answer means is up to the caller.

import { wrap } from "../screen/rows.ts";
import type { InputEvent } from "../input/event.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import { headingRow, hintRows, type HeadingOptions, type Hint } from "./heading.ts";
import { typesText, type KeyLookup } from "./key-lookup.ts";
import { inWords } from "./in-words.ts";
import { stacked } from "./stacked.ts";
import { ScrollText, type RowsFor } from "./scroll-text.ts";
import { SelectList, type Choice } from "./select-list.ts";

export interface ChoicePanelOptions<T> {
  readonly heading: HeadingOptions;
  readonly body: RowsFor;
  /** The row of the body to begin with if not all of them fit. */
  readonly opensAt?: (rows: readonly string[]) => number;
  /** Shown in place of the body while the user asks for it; asked for each time. */
  readonly explanation?: () => RowsFor;
  readonly question?: string;
  readonly choices: readonly Choice<T>[];
  readonly marked?: number;
  readonly hints?: readonly Hint[];
  /** Actions the caller wants to hear of. */
  readonly listensTo?: readonly string[];
  /** No answer has consequences. */
  readonly harmless?: boolean;
  /** Someone was writing something else when the question came up. */
  wasTyping?(): boolean;
  readonly keys: KeyLookup;
}

export type ChoiceResult<T> =
  | { readonly kind: "chosen"; readonly value: T; readonly text: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "action"; readonly action: string };

export class ChoicePanel<T> implements Panel<ChoiceResult<T>> {
  readonly list: SelectList<T>;
  readonly #options: ChoicePanelOptions<T>;
  readonly #body: ScrollText;
  #explaining = false;

  constructor(options: ChoicePanelOptions<T>) {
    const { choices, marked, keys, body, opensAt, harmless, wasTyping } = options;
    this.#options = options;
    this.#body = new ScrollText(body, keys, opensAt);
    this.list = new SelectList(choices, { keys, marked, harmless, wasTyping });
  }

  take(event: InputEvent): Done<ChoiceResult<T>> | undefined {
    const { keys, explanation, body, listensTo = [] } = this.#options;
    if (event.kind === "key" && !typesText(event)) {
      const action = keys.action(event, ["Confirmation", "Chat", "Global"]);
      if (action !== undefined && listensTo.includes(action)) return { value: { kind: "action", action } };
      if (action === "app:interrupt") return CANCELLED;
      const goesBack = this.#explaining && action === "confirm:no" && !this.list.isNoting;
      if (goesBack || (!this.list.isWriting && action === "confirm:toggleExplanation" && explanation)) {
        this.#explaining = !this.#explaining;
        this.#body.replace(this.#explaining ? explanation!() : body);
        return undefined;
      }
      if (action === "confirm:no") return this.list.closeField() ? undefined : CANCELLED;
      if (this.#body.take(event)) return undefined;
    }
    const chosen = this.list.take(event);
    return chosen && { value: { kind: "chosen", ...chosen } };
  }

  /** There is more to say than when the user asked. */
  explains(rows: RowsFor): void {
    if (this.#explaining) this.#body.replace(rows);
  }

  #hints(hints: readonly Hint[]): readonly Hint[] {
    const { isNoting, awaitsArrow, markedChoice } = this.list;
    if (isNoting) return noting(markedChoice!.label, awaitsArrow);
    if (awaitsArrow) return AWAITS_ARROW;
    return this.#explaining ? EXPLAINING : hints;
  }

  render(given: Frame): Rendered {
    const { heading, question, hints = [], keys } = this.#options;
    const frame = inWords(given, heading.plain);
    const { columns, theme } = frame;
    return stacked(frame, {
      head: [headingRow(columns, theme, heading)],
      body: this.#body,
      question: question === undefined ? [] : wrap(theme.paint("bold", question), columns),
      list: (rows) => this.list.render({ ...frame, rows }),
      foot: hintRows(this.#hints(hints), columns, theme, keys),
    });
  }
}

/** After something was typed that does not answer. */
const AWAITS_ARROW: readonly Hint[] = [
  { key: "↑/↓", does: "choose an answer" },
  { action: "confirm:no", does: "no" },
];

/** While the explanation is shown. */
const EXPLAINING: readonly Hint[] = [
  { action: "confirm:yes", does: "choose" },
  { action: "confirm:no", does: "back to the question" },
];

/** While a note is written. Next to an answer with consequences, Enter only ends the line. */
const noting = (label: string, awaitsArrow: boolean): readonly Hint[] => [
  { ...(awaitsArrow ? { key: "↑/↓ Enter" } : { action: "confirm:yes" }), does: `answer "${label}" with this note` },
  { action: "confirm:no", does: "back to the answers" },
];

const CANCELLED = { value: { kind: "cancelled" } } as const;

/** A panel whose answer is made from another's. What `answer` does not return is not an answer yet. */
export function answering<A, B>(panel: Panel<A>, answer: (value: A) => B | undefined): Panel<B> {
  return {
    take(event, now) {
      const done = panel.take(event, now);
      const value = done && answer(done.value);
      return value === undefined ? undefined : { value };
    },
    render: (frame) => panel.render(frame),
  };
}
