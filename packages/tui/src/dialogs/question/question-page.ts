// One question: its options, an answer in the user's own words, and a preview of the marked option.

import type { AskedQuestion, GivenAnswer } from "@keelson/client";
import type { InputEvent, Key } from "../../input/event.ts";
import { width, wrap } from "../../screen/rows.ts";
import type { Frame, Rendered } from "../../screen/view.ts";
import { beside } from "../../widgets/beside.ts";
import { barred } from "../../widgets/heading.ts";
import { ScrollText } from "../../widgets/scroll-text.ts";
import { SelectList, type Choice, type Chosen } from "../../widgets/select-list.ts";
import type { DialogContext } from "../dialog-context.ts";
import { showAll, showRow } from "../visible.ts";

/** The index of an option, or one of the other entries. */
type Entry = number | "own" | "go" | "talk";

/** From this width on, previews are next to the options. */
const WIDE = 90;

export class QuestionPage {
  readonly asked: AskedQuestion;
  readonly text: ScrollText;
  readonly #list: SelectList<Entry>;
  readonly #preview: ScrollText;
  #previewed: string | undefined;
  readonly #context: DialogContext;
  #chosen: Chosen<Entry> | undefined;

  constructor(asked: AskedQuestion, context: DialogContext) {
    const { keys } = context;
    this.asked = asked;
    this.#context = context;
    this.#list = new SelectList(entriesOf(asked), { keys, several: asked.several, harmless: true });
    this.text = new ScrollText((columns, theme) => wrap(theme.paint("bold", showAll(asked.question)), columns), keys);
    this.#preview = new ScrollText(() => [], keys);
    this.#showPreview();
  }

  get isWriting(): boolean {
    return this.#list.isWriting;
  }

  /** The text in the open field. */
  get writing(): string {
    return this.#list.isWriting ? this.#list.textOf(this.#list.marked) : "";
  }

  closeField(): boolean {
    return this.#list.closeField();
  }

  /** Scrolls the preview, or the question if there is none. */
  scroll(key: Key): boolean {
    return (this.#previewed === undefined ? this.text : this.#preview).take(key);
  }

  take(event: InputEvent): "answered" | "talk" | undefined {
    const chosen = this.#list.take(event);
    this.#showPreview();
    if (!chosen || (chosen.value === "own" && chosen.text === "")) return undefined;
    if (chosen.value === "talk") return "talk";
    if (chosen.value === "go") return "answered";
    this.#chosen = chosen;
    return "answered";
  }

  get answer(): GivenAnswer | undefined {
    const { options, several } = this.asked;
    const own = this.#list.textOf(options.length).trim();
    if (several) {
      const labels = options.filter((_, index) => this.#list.ticked.has(index)).map(({ label }) => label);
      const texts = own === "" ? labels : [...labels, own];
      return texts.length === 0 ? undefined : { texts };
    }
    if (!this.#chosen) return undefined;
    const { value, text } = this.#chosen;
    const option = options[value as number];
    if (!option) return { texts: [text] };
    return { texts: [option.label], ...(option.preview ? { preview: option.preview } : {}), notes: text };
  }

  render(frame: Frame): Rendered {
    const { columns, rows, theme } = frame;
    if (this.#previewed === undefined) return this.#list.render(frame);
    if (columns >= WIDE) {
      const left = Math.min(50, Math.floor(columns * 0.45));
      const list = this.#list.render({ ...frame, columns: left });
      const most = rows > 1000 ? list.rows.length : rows;
      const preview = this.#preview.render(columns - left - 3, Math.max(most, Math.min(rows, 12)), theme);
      return { ...list, rows: beside(list.rows, preview, left, theme) };
    }
    const wanted = Math.min(12, this.#preview.all(columns - 4, theme).length);
    const list = this.#list.render({ ...frame, rows: Math.max(3, rows - Math.min(4, wanted)) });
    const preview = this.#preview.render(columns - 4, Math.max(0, Math.min(wanted, rows - list.rows.length)), theme);
    return { ...list, rows: [...list.rows, ...barred(preview, theme).map((row) => `  ${row}`)] };
  }

  #showPreview(): void {
    const marked = this.#list.markedChoice?.value;
    const preview = typeof marked === "number" ? this.asked.options[marked]?.preview : undefined;
    if (preview === this.#previewed) return;
    this.#previewed = preview;
    const { markdown } = this.#context;
    this.#preview.replace((columns, theme) =>
      markdown(preview ?? "", columns, theme).flatMap((row) => (width(row) <= columns ? [row] : wrap(row, columns))),
    );
  }
}

function entriesOf({ options, several }: AskedQuestion): Choice<Entry>[] {
  const note = { opens: "tab", placeholder: "a note to go with this answer" } as const;
  return [
    ...options.map(({ label, description }, index): Choice<Entry> => ({
      value: index,
      label: showRow(label),
      ...(description === "" ? {} : { description: showAll(description) }),
      ...(several ? {} : { field: note }),
    })),
    {
      value: "own",
      label: "Something else",
      takesTyping: true,
      field: { opens: "marked", placeholder: "type your answer" },
    },
    ...(several ? [{ value: "go", label: "Continue", apart: true, answers: true } as const] : []),
    { value: "talk", label: "Talk about it first", apart: true, answers: true },
  ];
}
