// Choosing where answers come from: a provider whose key is there or is given now, a model server on this machine, or the
// offline model. A key is shown as dots, asked about once, and kept only if the provider takes it.

import type { InputEvent } from "../../input/event.ts";
import type { LoginCheck, LoginPort, LocalModel, OfferedProvider } from "../../host.ts";
import { fit, wrap } from "../../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../../screen/view.ts";
import type { Theme } from "../../theme/theme.ts";
import { headingRow, hintRows, type Hint } from "../../widgets/heading.ts";
import { inWords } from "../../widgets/in-words.ts";
import { ScrollText } from "../../widgets/scroll-text.ts";
import { SelectList, type Choice } from "../../widgets/select-list.ts";
import { stacked } from "../../widgets/stacked.ts";
import { showRow } from "../visible.ts";
import type { BeforeOptions } from "./before-options.ts";

export interface LoginOptions extends BeforeOptions {
  readonly logins: LoginPort;
  redraw(): void;
  /** The first step is this provider's. */
  readonly provider?: string;
}

export interface LoginAnswer {
  /** For `--model`. */
  readonly model: string;
  /** What is said about it. */
  readonly note: string;
}

type Target =
  | { readonly kind: "local"; readonly model: LocalModel }
  | { readonly kind: "provider"; readonly provider: OfferedProvider }
  | { readonly kind: "offline" };

type Retry = "again" | "anyway" | "back";

type Step =
  | { readonly at: "looking" }
  | { readonly at: "choose"; readonly list: SelectList<Target> }
  | { readonly at: "key"; readonly provider: OfferedProvider; readonly problem?: string }
  | { readonly at: "checking"; readonly provider: OfferedProvider; readonly stop: AbortController }
  | {
      readonly at: "failed";
      readonly provider: OfferedProvider;
      readonly problem: string;
      readonly list: SelectList<Retry>;
    }
  | {
      readonly at: "model";
      readonly note: string;
      readonly list: SelectList<string>;
    };

const DEFAULT = "the default model";

/** More than any key has. */
const LONGEST_KEY = 16_384;

/** Null if nothing was chosen. */
export class LoginPanel implements Panel<LoginAnswer | null> {
  readonly #options: LoginOptions;
  readonly #text: ScrollText;
  #step: Step = { at: "looking" };
  #local: readonly LocalModel[] = [];
  #providers: readonly OfferedProvider[] = [];
  #key = "";

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#text = new ScrollText((columns, theme) => this.#words(columns, theme), options.keys);
    void this.#look();
  }

  async #look(): Promise<void> {
    const { logins, provider: wanted } = this.#options;
    [this.#local, this.#providers] = await Promise.all([
      logins.servers().catch(() => []),
      logins.providers().catch(() => []),
    ]);
    const provider = this.#providers.find((each) => each.provider === wanted);
    if (this.#step.at !== "looking") return;
    // Who names a provider wants to give a key, also instead of one that is stored.
    if (provider?.takesKey) this.#go({ at: "key", provider });
    else this.#choose();
  }

  #go(step: Step): void {
    this.#step = step;
    this.#text.replace((columns, theme) => this.#words(columns, theme));
    this.#options.redraw();
  }

  #choose(): void {
    this.#key = "";
    const choices: Choice<Target>[] = [
      ...this.#local.map((model) => ({
        value: { kind: "local", model } as const,
        label: showRow(model.title),
        description: showRow(model.detail),
      })),
      ...this.#providers.map((provider) => ({
        value: { kind: "provider", provider } as const,
        label: showRow(provider.title),
        description: showRow(aboutProvider(provider)),
        disabled: !canChoose(provider),
      })),
      {
        value: { kind: "offline" },
        label: "Continue offline",
        description: "Not a language model: it follows simple instructions, enough to try Keelson out",
      },
    ];
    this.#go({ at: "choose", list: new SelectList(choices, { keys: this.#options.keys, filter: true }) });
  }

  take(event: InputEvent): Done<LoginAnswer | null> | undefined {
    const action = event.kind === "key" ? this.#options.keys.action(event, ["Confirmation", "Global"]) : undefined;
    const isBack = event.kind === "key" && event.name === "escape";
    if (action === "app:interrupt") return this.#leave();
    const step = this.#step;
    switch (step.at) {
      case "looking":
        return isBack ? this.#leave() : undefined;
      case "choose": {
        if (isBack) return this.#leave();
        const chosen = step.list.take(event);
        return chosen && this.#chose(chosen.value);
      }
      case "key":
        if (isBack) return void this.#choose();
        return void this.#write(event, step.provider);
      case "checking":
        if (!isBack) return undefined;
        step.stop.abort();
        return void this.#choose();
      case "failed": {
        if (isBack) return void this.#choose();
        const chosen = step.list.take(event);
        return chosen && void this.#retry(chosen.value, step.provider);
      }
      case "model": {
        if (isBack) return void this.#choose();
        const chosen = step.list.take(event);
        return chosen && { value: { model: chosen.value, note: step.note } };
      }
    }
  }

  #leave(): Done<null> {
    if (this.#step.at === "checking") this.#step.stop.abort();
    return { value: null };
  }

  #chose(target: Target): Done<LoginAnswer> | undefined {
    if (target.kind === "offline") return { value: { model: "offline", note: "Continuing offline" } };
    if (target.kind === "local") return { value: { model: target.model.id, note: `Using ${target.model.title}` } };
    const { provider } = target;
    if (provider.credentials === null && provider.takesKey) this.#go({ at: "key", provider });
    else void this.#check(provider);
    return undefined;
  }

  #write(event: InputEvent, provider: OfferedProvider): void {
    if (event.kind === "paste") this.#key += event.text.trim();
    else if (event.kind !== "key") return;
    else if (event.name === "enter") {
      // Without a new key, the one that is stored is asked about.
      if (this.#key !== "" || provider.credentials !== null) void this.#check(provider);
      return;
    } else if (event.name === "backspace") this.#key = this.#key.slice(0, -1);
    else if (event.ctrl && event.name === "u") this.#key = "";
    else if (event.text !== undefined && !event.ctrl && !event.alt) this.#key += event.text;
    this.#key = this.#key.slice(0, LONGEST_KEY + 1);
    this.#go({ at: "key", provider });
  }

  async #check(provider: OfferedProvider): Promise<void> {
    const { logins } = this.#options;
    const stop = new AbortController();
    this.#go({ at: "checking", provider, stop });
    const key = this.#key === "" ? undefined : this.#key;
    let result: LoginCheck;
    try {
      result = await logins.check(provider.provider, key, stop.signal);
    } catch (error) {
      result = { problem: error instanceof Error ? error.message : String(error), refused: false };
    }
    if (stop.signal.aborted) return;
    if ("problem" in result) return this.#failed(provider, result);
    await this.#keep(provider, result);
  }

  #failed(provider: OfferedProvider, { problem, refused }: Extract<LoginCheck, { problem: string }>): void {
    const typed = this.#key !== "";
    // Also a stored key may be the one that is refused.
    if (refused && (typed || provider.takesKey)) {
      this.#key = "";
      return this.#go({ at: "key", provider, problem });
    }
    const choices: Choice<Retry>[] = [
      { value: "again", label: "Try again" },
      ...(typed ? [{ value: "anyway" as const, label: "Keep the key without a check" }] : []),
      { value: "back", label: "Choose another provider" },
    ];
    this.#go({ at: "failed", provider, problem, list: new SelectList(choices, { keys: this.#options.keys }) });
  }

  #retry(what: Retry, provider: OfferedProvider): void {
    if (what === "back") this.#choose();
    else if (what === "again") void this.#check(provider);
    else void this.#keep(provider, { models: [] });
  }

  /** The key is kept before a model is chosen: it was given for the provider. */
  async #keep(provider: OfferedProvider, checked: Extract<LoginCheck, { models: readonly string[] }>): Promise<void> {
    const { logins, keys } = this.#options;
    const { models, standard } = checked;
    const isNew = this.#key !== "";
    if (isNew) {
      try {
        await logins.store(provider.provider, this.#key);
      } catch (error) {
        return this.#failed(provider, {
          problem: error instanceof Error ? error.message : String(error),
          refused: false,
        });
      }
      this.#key = "";
    }
    const note = isNew ? `Stored the key for ${provider.title}` : `Using ${provider.title}`;
    const ids = [...new Set([...(standard === undefined ? [] : [standard]), ...models])];
    if (ids.length === 0) {
      const problem = `${note}, but it does not say which models it has: choose one with /model ${provider.provider}/ID`;
      return this.#failed(provider, { problem, refused: false });
    }
    const choices = ids.map((id) => ({ value: id, label: showRow(id === "default" ? DEFAULT : id) }));
    this.#go({ at: "model", note, list: new SelectList(choices, { keys, filter: true }) });
  }

  render(given: Frame): Rendered {
    const { keys, plain } = this.#options;
    const frame = inWords(given, plain);
    const { columns, theme } = frame;
    return stacked(frame, {
      head: [headingRow(columns, theme, { title: "Log in", ...(plain ? { plain } : {}) })],
      body: this.#text,
      question: [],
      list: (rows) => this.#list({ ...frame, rows }),
      foot: hintRows(this.#hints(), columns, theme, keys),
    });
  }

  #hints(): readonly Hint[] {
    switch (this.#step.at) {
      case "looking":
        return [{ key: "Esc", does: "cancel" }];
      case "choose":
        return [
          { action: "confirm:yes", does: "choose" },
          { key: "type", does: "to search" },
          { key: "Esc", does: "cancel" },
        ];
      case "key":
        return [
          { key: "Enter", does: "check and keep it" },
          { key: "Ctrl+U", does: "clear" },
          { key: "Esc", does: "back" },
        ];
      case "checking":
        return [{ key: "Esc", does: "stop" }];
      default:
        return [
          { action: "confirm:yes", does: "choose" },
          { key: "Esc", does: "back" },
        ];
    }
  }

  #list(frame: Frame): Rendered {
    const step = this.#step;
    if (step.at === "choose" || step.at === "failed" || step.at === "model") return step.list.render(frame);
    if (step.at !== "key") return { rows: [] };
    const { columns, theme } = frame;
    const dot = theme.ascii || theme.spoken ? "*" : "•";
    const shown = theme.spoken && this.#key !== "" ? `${this.#key.length} characters` : dot.repeat(this.#key.length);
    const label = "Key: ";
    const room = Math.max(1, columns - label.length - 1);
    // The end of a long one: that is where the cursor is.
    const row = shown.slice(0, room);
    if (this.#key === "")
      return {
        rows: [label + theme.paint("dim", fit("paste it here; it is not shown", room))],
        cursor: { row: 0, column: label.length },
      };
    return { rows: [label + row], cursor: { row: 0, column: Math.min(columns - 1, label.length + row.length) } };
  }

  #words(columns: number, theme: Theme): readonly string[] {
    const step = this.#step;
    switch (step.at) {
      case "looking":
        return wrap(theme.paint("dim", "Looking for API keys and local model servers…"), columns);
      case "choose":
        return wrap("Which provider do you want to use?", columns);
      case "key": {
        const about = `The key for ${showRow(step.provider.title)} is checked with one request and kept on this machine, encrypted where the system has a keychain.`;
        const problem = step.problem === undefined ? [] : wrap(theme.paint("error", showRow(step.problem)), columns);
        const isStored = step.provider.credentials !== null && step.problem === undefined;
        const instead = isStored
          ? " It replaces the one that is stored; Enter without a key goes on with that one."
          : "";
        return [...problem, ...wrap(about + instead, columns)];
      }
      case "checking":
        return wrap(theme.paint("dim", `Asking ${showRow(step.provider.title)}…`), columns);
      case "failed":
        return wrap(theme.paint("error", showRow(step.problem)), columns);
      case "model":
        return wrap(`${showRow(step.note)}. Which model do you want to use?`, columns);
    }
  }
}

/** Also without a key, an address may be missing. */
const canChoose = ({ missing, takesKey }: OfferedProvider) => missing === undefined || takesKey;

function aboutProvider({ credentials, takesKey, missing }: OfferedProvider): string {
  if (credentials === "keychain") return "a stored key";
  if (credentials !== null) return credentials;
  if (takesKey) return "paste a key";
  return missing ?? "needs no key";
}
