// The common shape of a panel: a heading, tabs if there are several lists, a search, entries, and what keys do to them.

import type { InputEvent, Key } from "../input/event.ts";
import { showKeystroke, spellKey } from "../keys/keystroke.ts";
import { movedIndex, windowStart } from "../pickers/list-window.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width, wrap } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { StyleName, Theme } from "../theme/theme.ts";
import { headingRow, hintRows, type Hint } from "../widgets/heading.ts";
import { Deliberate, writesText } from "../keys/deliberate.ts";
import { CHORD, type KeyLookup } from "../widgets/key-lookup.ts";
import { tabsRow } from "../widgets/tabs-row.ts";
import { TextField } from "../widgets/text-field.ts";
import { panelKeys, typedText } from "./panel-keys.ts";

export interface ListEntry {
  /** Stays the same while the list changes around it. */
  readonly id: string;
  readonly label: string;
  /** Behind the label. */
  readonly value?: string;
  readonly valueStyle?: StyleName;
  /** Below the list while the entry is marked; searched, too. */
  readonly about?: string;
}

export interface ListPanelOptions<T> {
  readonly title: string;
  readonly keys: KeyLookup;
  /** Names of the lists, if there are several. */
  readonly tabs?: readonly string[];
  entries(tab: number): readonly ListEntry[];
  /** Said if a list is empty. */
  empty(tab: number): string;
  /** Typing searches. Otherwise letters are keys. */
  readonly searches?: boolean;
  /** An entry for what was searched for, last in the list. */
  typed?(text: string): ListEntry;
  /** Enter changes nothing that matters, so it also works after letters were typed. */
  readonly harmless?: boolean;
  /** Where keys are looked up before the common ones. */
  readonly contexts?: readonly string[];
  /** Enter. Undefined: the panel stays. */
  accept?(entry: ListEntry, tab: number): Done<T> | undefined | void;
  /** What the other actions do; false if the key means nothing for this entry. */
  act?(action: string, entry: ListEntry | undefined, tab: number): Done<T> | undefined | void;
  closed(): T;
  hints?(entry: ListEntry | undefined, tab: number): readonly Hint[];
  /** A row under the list: what is happening, or what failed. */
  status?(entry: ListEntry | undefined): { readonly text: string; readonly style: StyleName } | undefined;
}

export class ListPanel<T> implements Panel<T> {
  readonly #options: ListPanelOptions<T>;
  readonly #keys: KeyLookup;
  readonly #query = new TextField();
  readonly #deliberate = new Deliberate();
  /** The last key writes, and would have done something after an arrow. */
  #typed: Key | undefined;
  #tab = 0;
  #marked: string | undefined;
  #index = 0;
  #first = 0;
  #visible = 1;

  constructor(options: ListPanelOptions<T>) {
    this.#options = options;
    this.#keys = panelKeys(options.keys);
  }

  take(event: InputEvent): Done<T> | undefined {
    const { searches, contexts = [], tabs, harmless = searches } = this.#options;
    const { isSteered } = this.#deliberate;
    this.#deliberate.take(event);
    if (event.kind === "paste" && searches) this.#search(event);
    if (event.kind !== "key") return undefined;
    const isTyped =
      searches === true && typedText(event) !== undefined && !(event.name === "space" && this.#query.text === "");
    const own = isTyped ? undefined : this.#keys.action(event, contexts);
    const action = isTyped ? undefined : this.#keys.action(event, [...(tabs ? ["Tabs"] : []), "Select"]);
    const entries = this.#shown();
    const entry = entries[this.#index];
    const isKey = event.name === "enter" || !writesText(event);
    this.#typed = !isKey && !isTyped && !isSteered && own !== undefined ? event : undefined;
    const moved = action === undefined ? undefined : movedIndex(action, this.#index, entries.length, this.#visible);
    if (isCancel(own) || isCancel(action)) return { value: this.#options.closed() };
    if (moved !== undefined) this.#mark(entries, moved);
    else if (this.#typed) return undefined;
    else if (own === "select:accept" || action === "select:accept") {
      if (!harmless && !this.#deliberate.mayAnswer) return void (this.#typed = event);
      return entry ? (this.#options.accept?.(entry, this.#tab) ?? undefined) : undefined;
    } else if (own !== undefined && own !== CHORD) {
      if (!isKey) this.#deliberate.steer();
      return this.#options.act?.(own, entry, this.#tab) ?? undefined;
    } else if (action === "tabs:next" || action === "tabs:previous") this.#turn(action === "tabs:next" ? 1 : -1);
    else if (searches) this.#search(event);
    return undefined;
  }

  #search(event: InputEvent): void {
    const before = this.#query.text;
    if (this.#query.take(event) && this.#query.text !== before) this.#mark(this.#shown(), 0);
  }

  #turn(by: 1 | -1): void {
    const count = this.#options.tabs?.length ?? 1;
    this.#tab = (this.#tab + by + count) % count;
    this.#mark(this.#shown(), 0);
    this.#first = 0;
  }

  #mark(entries: readonly ListEntry[], index: number): void {
    this.#index = index;
    this.#marked = entries[index]?.id;
  }

  /** The mark stays on its entry when the list changes. */
  #shown(): readonly ListEntry[] {
    const words = this.#query.text.toLowerCase().split(/\s+/).filter(Boolean);
    const all = this.#options.entries(this.#tab);
    const { typed } = this.#options;
    const found =
      words.length === 0
        ? all
        : all.filter(({ label, value = "", about = "" }) => {
            const text = `${label} ${value} ${about}`.toLowerCase();
            return words.every((word) => text.includes(word));
          });
    const entries = words.length > 0 && typed ? [...found, typed(this.#query.text.trim())] : found;
    const marked = entries.findIndex(({ id }) => id === this.#marked);
    this.#index = marked >= 0 ? marked : Math.max(0, Math.min(this.#index, entries.length - 1));
    this.#marked = entries[this.#index]?.id;
    return entries;
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const { title, tabs, searches, empty, hints, status } = this.#options;
    const entries = this.#shown();
    const entry = entries[this.#index];
    const query = this.#query.text.trim();
    const head = [""];
    if (tabs)
      head.push(
        tabsRow(
          tabs.map((label) => ({ label })),
          this.#tab,
          columns,
          theme,
        ),
      );
    // There is nothing to find in an empty list.
    const field = searches && (entries.length > 0 || query !== "") ? this.#searchRow(columns, theme) : undefined;
    if (field) head.push(field.row);
    const said = this.#typed
      ? ({
          text: `Press ↑ or ↓ first, then ${showKeystroke(spellKey(this.#typed))}: it may be part of a text`,
          style: "dim",
        } as const)
      : status?.(entry);
    const keys = hintRows([...(hints?.(entry, this.#tab) ?? []), CLOSE], columns, theme, this.#keys).slice(
      0,
      rows > 12 ? 2 : 1,
    );
    // It may be an address to open, so all of it is shown if two entries fit besides.
    const news = said
      ? wrapped(said.text, columns)
          .slice(0, Math.max(1, rows - head.length - Math.min(2, entries.length) - keys.length))
          .map((row) => theme.paint(said.style, row))
      : [];
    const isShort = rows < 12 || rows - news.length < 12;
    const about =
      entry?.about === undefined || isShort ? [] : aboutRows(entry.about, columns, theme, rows >= 20 ? 4 : 2);
    // As in dialogs: the keys stand apart where there is room.
    const foot = [...news, ...(rows >= ROWS_FOR_SPACE ? [""] : []), ...keys];
    const room = Math.max(1, rows - head.length - foot.length - about.length);
    head[0] = headingRow(columns, theme, {
      title,
      ...(entries.length > room ? { aside: `${this.#index + 1} of ${entries.length}` } : {}),
    });
    const nothing = query === "" ? empty(this.#tab) : `No match for "${cleanRow(query)}"`;
    const body =
      entries.length === 0
        ? wrapped(nothing, columns).map((row) => theme.paint("dim", row))
        : this.#rows(entries, columns, room, theme);
    return {
      rows: [...head, ...body, ...about, ...foot].slice(0, rows),
      ...(field ? { cursor: { row: Math.min(rows, head.length) - 1, column: field.column } } : {}),
    };
  }

  #searchRow(columns: number, theme: Theme): { readonly row: string; readonly column: number } {
    const label = "Search: ";
    const { rows, cursor } = this.#query.render({
      columns: Math.max(2, columns - label.length),
      theme,
      placeholder: "type to search",
    });
    return { row: theme.paint("dim", label) + (rows[0] ?? ""), column: label.length + (cursor?.column ?? 0) };
  }

  #rows(entries: readonly ListEntry[], columns: number, room: number, theme: Theme): readonly string[] {
    this.#visible = room;
    this.#first = windowStart(this.#first, this.#index, room, entries.length);
    const shown = entries.slice(this.#first, this.#first + room);
    const most = Math.max(...shown.map(({ label }) => width(cleanRow(label))));
    const labelColumns = Math.min(most, Math.max(10, Math.floor(columns / 2)));
    return shown.map((entry, offset) => {
      const isMarked = this.#first + offset === this.#index;
      const sign = isMarked ? (theme.ascii ? "> " : "❯ ") : "  ";
      const left = Math.max(0, columns - 2 - labelColumns - 2);
      const isAlone = entry.value === undefined || left === 0;
      const label = fit(cleanRow(entry.label), isAlone ? columns - 2 : labelColumns);
      const painted = isMarked ? theme.paint("suggestion", sign + label) : sign + label;
      if (isAlone) return painted;
      const gap = " ".repeat(labelColumns - width(label) + 2);
      return `${painted}${gap}${theme.paint(entry.valueStyle ?? "dim", fit(cleanRow(entry.value!), left))}`;
    });
  }
}

const wrapped = (text: string, columns: number) => wrap(cleanRow(text), columns).map((row) => row.trimEnd());

const ROWS_FOR_SPACE = 16;

const CLOSE: Hint = { action: "select:cancel", does: "close" };

const isCancel = (action: string | undefined) =>
  action === "select:cancel" || action === "confirm:no" || action === "help:dismiss";

function aboutRows(text: string, columns: number, theme: Theme, most: number): readonly string[] {
  const rows = wrap(cleanRow(text.replace(/\s+/g, " ").trim()), columns - 2).map((row) => row.trim());
  const cut = rows.length > most ? [...rows.slice(0, most - 1), fit(`${rows[most - 1]!}…`, columns - 2)] : rows;
  return ["", ...cut.map((row) => theme.paint("dim", `  ${row}`))];
}
