// The first start: a theme, with a sample of it, then a model. What was found on this machine is offered; the user can
// also continue without a model.

import { wrap } from "../../screen/rows.ts";
import type { InputEvent } from "../../input/event.ts";
import type { Done, Frame, Panel, Rendered } from "../../screen/view.ts";
import type { Theme } from "../../theme/theme.ts";
import { beside } from "../../widgets/beside.ts";
import { headingRow, hintRows } from "../../widgets/heading.ts";
import { ScrollText } from "../../widgets/scroll-text.ts";
import { SelectList } from "../../widgets/select-list.ts";
import { stacked } from "../../widgets/stacked.ts";
import { showRow } from "../visible.ts";
import type { BeforeOptions } from "./before-options.ts";
import { sampleRows } from "./sample.ts";

export interface SetupOptions extends BeforeOptions {
  readonly version: string;
  readonly themes: readonly { readonly name: string; readonly title: string }[];
  /** The theme in use. */
  readonly current: string;
  /** It was chosen already: the model comes next. */
  readonly chosen?: string;
  themeFor(name: string): Theme;
}

/** A model that could be used. */
export interface SetupOffer {
  readonly title: string;
  /** Where it is from: a variable, a server on this machine. */
  readonly detail: string;
}

export interface SetupAnswer {
  /** Absent if it was left with Esc. */
  readonly theme?: string;
  /** The index of an offer, or `login` to choose another provider; absent to continue offline. */
  readonly offer?: number | "login";
}

const OFFLINE = -1;
const LOGIN = -2;

export class SetupPanel implements Panel<SetupAnswer> {
  readonly #options: SetupOptions;
  readonly #themes: SelectList<string>;
  #models: SelectList<number> | undefined;
  #chosenTheme: string | undefined;
  readonly #text: ScrollText;

  constructor(options: SetupOptions) {
    const { themes, current, keys } = options;
    this.#options = options;
    this.#chosenTheme = options.chosen;
    const marked = themes.findIndex(({ name }) => name === current);
    const choices = themes.map(({ name, title }) => ({ value: name, label: title }));
    this.#themes = new SelectList(choices, { keys, marked: Math.max(0, marked), harmless: true });
    this.#text = new ScrollText((columns, theme) => this.#words(columns, theme), keys);
  }

  /** The models that were found. Until then it says that it is looking. */
  setOffers(offers: readonly SetupOffer[]): void {
    const found = offers.map(({ title, detail }, index) => ({
      value: index,
      label: showRow(title),
      description: showRow(detail),
    }));
    const login = {
      value: LOGIN,
      label: offers.length === 0 ? "Choose a provider and paste a key" : "Another provider: paste a key",
      description: "Anthropic, OpenAI, Google and others",
    };
    const offline = {
      value: OFFLINE,
      label: offers.length === 0 ? "Continue offline" : "None of them: continue offline",
      description: "Not a language model: it follows simple instructions, enough to try Keelson out",
      takesTyping: true,
    };
    this.#models = new SelectList([...found, login, offline], { keys: this.#options.keys });
    this.#text.replace((columns, theme) => this.#words(columns, theme));
  }

  /** The theme to draw with: the one that is marked, so that everything is a sample of it. */
  get shownTheme(): string {
    return this.#chosenTheme ?? this.#themes.markedChoice?.value ?? this.#options.current;
  }

  take(event: InputEvent): Done<SetupAnswer> | undefined {
    const action = event.kind === "key" ? this.#options.keys.action(event, ["Confirmation", "Global"]) : undefined;
    const theme = this.#chosenTheme;
    if (action === "app:interrupt" || (action === "confirm:no" && theme === undefined)) return { value: {} };
    if (theme === undefined) {
      const chosen = this.#themes.take(event);
      if (chosen) this.#turn(chosen.value);
      return undefined;
    }
    if (action === "confirm:no") return void this.#turn(undefined);
    const chosen = this.#models?.take(event);
    if (!chosen) return undefined;
    if (chosen.value === LOGIN) return { value: { theme, offer: "login" } };
    return { value: { theme, ...(chosen.value === OFFLINE ? {} : { offer: chosen.value }) } };
  }

  render(frame: Frame): Rendered {
    const { keys, plain, version, themeFor } = this.#options;
    const theme = themeFor(this.shownTheme);
    const { columns } = frame;
    const painted = { ...frame, theme };
    const back = { action: "confirm:no", does: this.#chosenTheme === undefined ? "skip" : "back" };
    return stacked(painted, {
      head: [headingRow(columns, theme, { title: "Welcome to Keelson", aside: version, plain })],
      body: this.#text,
      question: [],
      list: (rows) => this.#list({ ...painted, rows }),
      foot: hintRows([{ action: "confirm:yes", does: "choose" }, back], columns, theme, keys),
    });
  }

  #turn(theme: string | undefined): void {
    this.#chosenTheme = theme;
    this.#text.replace((columns, painted) => this.#words(columns, painted));
  }

  #words(columns: number, theme: Theme): readonly string[] {
    if (this.#chosenTheme === undefined) return wrap("Which colors suit your terminal?", columns);
    if (!this.#models) return wrap(theme.paint("dim", "Looking for API keys and local model servers…"), columns);
    if (this.#models.choices.length > 2) return wrap("Which model do you want to use?", columns);
    return wrap(
      "No API key and no local model server was found. Paste a key now, or later with /login; or start Ollama or LM Studio and choose one of its models with /model.",
      columns,
    );
  }

  #list(frame: Frame): Rendered {
    const { columns, theme, rows } = frame;
    if (this.#chosenTheme !== undefined) return this.#models?.render(frame) ?? { rows: [] };
    const wide = columns >= 70;
    const list = this.#themes.render({ ...frame, columns: wide ? 34 : columns });
    const sample = sampleRows(theme, wide ? columns - 37 : columns);
    if (wide) return { ...list, rows: beside(list.rows, sample, 34, theme).slice(0, rows) };
    // Without room beside or below it, the dialog itself is the sample.
    return { ...list, rows: [...list.rows, ...(list.rows.length + sample.length < rows ? ["", ...sample] : [])] };
  }
}
