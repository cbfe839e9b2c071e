// A full-screen pager: rows of text, a status row, keys to move, search, fold and jump. It lays out only what is visible.

import type { InputEvent } from "../input/event.ts";
import { panelKeys, typedText } from "../panels/panel-keys.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Done, Frame, Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { findLine, markMatches, rowOfMatch } from "./find.ts";
import type { FullScreenPanel } from "./full-screen-panel.ts";
import { compareSpots, START, TextLayout, type Spot } from "./layout.ts";
import type { PagerSection } from "./section.ts";

export interface PagerOptions {
  readonly title: string;
  /** Asked for each frame, so a text may grow. A section that did not change must be the same object. */
  sections(): readonly PagerSection[];
  readonly keys: KeyLookup;
  /** The place whose bindings come before those of all pagers. */
  readonly place?: "Transcript" | "DiffDialog";
  /** Where it opens. At the end, it follows a text that grows. */
  readonly opensAt?: "start" | "end";
  /** In the place of the prompt: only as many rows as the text has. */
  readonly inPlace?: boolean;
  /** Keys of its own, named in the last row while they are offered. */
  readonly more?: readonly PagerAction[];
  /** Milliseconds between frames while a text grows; undefined if it does not. */
  every?(): number | undefined;
}

export interface PagerAction {
  readonly action: string;
  readonly does: string;
  isOffered(): boolean;
  do(): void;
}

const CONTEXTS: Readonly<Record<NonNullable<PagerOptions["place"]> | "Text", readonly string[]>> = {
  Text: ["Scroll"],
  // Global has the key that opened it.
  Transcript: ["Transcript", "Scroll", "Global"],
  DiffDialog: ["DiffViewer", "DiffDialog", "Scroll"],
};

const CLOSING: ReadonlySet<string> = new Set([
  "scroll:close",
  "transcript:exit",
  "app:toggleTranscript",
  "app:interrupt",
  "diff:dismiss",
]);

/** Who asks for more rows wants to read everything, and no empty ones. */
const TALLEST_WINDOW = 1_000;

export class Pager implements FullScreenPanel<null> {
  readonly fullScreen = true;
  readonly #options: PagerOptions;
  readonly #keys: KeyLookup;
  readonly #folded = new Set<PagerSection>();
  #layout: TextLayout | undefined;
  #height = 1;
  #top: Spot = START;
  /** The section that a jump led to, if it could not be brought to the top. */
  #jumped: number | undefined;
  #follows: boolean;
  #wanted = "";
  #match: Spot | undefined;
  #typing: { readonly from: Spot } | undefined;
  #said = "";

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#keys = panelKeys(options.keys);
    this.#follows = options.opensAt === "end";
  }

  nextChange(): number | undefined {
    return this.#options.every?.();
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const layout = this.#update(columns, theme);
    this.#height = Math.max(1, rows - 1);
    this.#top = this.#follows ? this.#lastTop(layout) : this.#inside(layout, this.#top);
    const text: string[] = [];
    for (let at: Spot | undefined = this.#top; at && text.length < this.#height; at = layout.next(at)) {
      const line = layout.rowsOf(at.section, at.line);
      const shown = this.#wanted === "" ? line : markMatches(line, this.#wanted, theme);
      text.push(shown[at.row] ?? "");
    }
    const isFilled = !this.#options.inPlace && rows <= TALLEST_WINDOW;
    while (isFilled && text.length < this.#height) text.push("");
    if (rows < 2) return { rows: text.slice(0, rows) };
    const status = this.#typing ? this.#searchRow(columns, theme) : this.#statusRow(layout, columns, theme);
    return {
      rows: [...text, status],
      ...(this.#typing ? { cursor: { row: text.length, column: Math.min(columns - 1, width(status)) } } : {}),
    };
  }

  take(event: InputEvent): Done<null> | undefined {
    if (event.kind === "paste" && this.#typing) this.#search(this.#wanted + event.text);
    if (event.kind !== "key") return undefined;
    const { place } = this.#options;
    const keys = this.#keys;
    const action = keys.action(event, CONTEXTS[place ?? "Text"]);
    this.#said = "";
    if (this.#typing) {
      this.#typed(event, keys.action(event, ["Select"]));
      return undefined;
    }
    if (CLOSING.has(action ?? "")) return { value: null };
    const more = this.#options.more?.find((each) => each.action === action && each.isOffered());
    if (more) {
      more.do();
      return undefined;
    }
    if (this.#layout !== undefined && action !== undefined) this.#act(action, this.#layout);
    return undefined;
  }

  #act(action: string, layout: TextLayout): void {
    const page = Math.max(1, this.#height - 1);
    const scroll = (by: number) => this.#go(layout, layout.move(this.#top, by));
    switch (action) {
      case "scroll:lineUp":
        return scroll(-1);
      case "scroll:lineDown":
        return scroll(1);
      case "scroll:pageUp":
      case "scroll:fullPageUp":
        return scroll(-page);
      case "scroll:pageDown":
      case "scroll:fullPageDown":
        return scroll(page);
      case "scroll:halfPageUp":
        return scroll(-Math.ceil(page / 2));
      case "scroll:halfPageDown":
        return scroll(Math.ceil(page / 2));
      case "scroll:top":
        return this.#go(layout, START);
      case "scroll:bottom":
        return this.#go(layout, layout.last());
      case "scroll:search":
        this.#typing = { from: this.#top };
        this.#wanted = "";
        return;
      case "scroll:nextMatch":
        return this.#nextMatch(layout, 1);
      case "scroll:previousMatch":
        return this.#nextMatch(layout, -1);
      case "transcript:previousPrompt":
      case "diffViewer:previousFile":
      case "diff:previousFile":
        return this.#jump(layout, -1);
      case "transcript:nextPrompt":
      case "diffViewer:nextFile":
      case "diff:nextFile":
        return this.#jump(layout, 1);
      case "transcript:fold":
      case "diffViewer:fold":
        return this.#fold(layout, [this.#current()]);
      case "transcript:foldAll":
      case "transcript:toggleShowAll":
      case "diffViewer:foldAll":
        return this.#fold(
          layout,
          layout.sections.map((_section, index) => index),
        );
    }
  }

  #update(columns: number, theme: Theme): TextLayout {
    if (!this.#layout?.isFor(columns, theme)) this.#layout = new TextLayout(columns, theme);
    this.#layout.sections = this.#options.sections();
    this.#layout.folded = this.#folded;
    return this.#layout;
  }

  /** The first row of the last screenful. */
  #lastTop(layout: TextLayout): Spot {
    return layout.move(layout.last(), 1 - this.#height);
  }

  #inside(layout: TextLayout, spot: Spot): Spot {
    const settled = layout.settle(spot);
    const last = this.#lastTop(layout);
    return compareSpots(settled, last) > 0 ? last : settled;
  }

  #go(layout: TextLayout, spot: Spot): void {
    this.#top = this.#inside(layout, spot);
    this.#jumped = undefined;
    this.#follows = this.#options.opensAt === "end" && compareSpots(this.#top, this.#lastTop(layout)) === 0;
  }

  #current(): number {
    return this.#jumped ?? this.#top.section;
  }

  #jump(layout: TextLayout, step: 1 | -1): void {
    const { sections } = layout;
    // Going back from the middle of a section leads to its own start.
    const isInside = step < 0 && this.#jumped === undefined && (this.#top.line > 0 || this.#top.row > 0);
    for (let at = this.#current() + (isInside ? 0 : step); at >= 0 && at < sections.length; at += step) {
      if (!sections[at]!.isMark) continue;
      this.#go(layout, { section: at, line: 0, row: 0 });
      this.#jumped = at;
      return;
    }
    this.#said = step > 0 ? "Nothing further down to jump to" : "Nothing further up to jump to";
  }

  #fold(layout: TextLayout, chosen: readonly number[]): void {
    const foldable = chosen.filter((index) => layout.canFold(index)).map((index) => layout.sections[index]!);
    const isOpen = foldable.some((section) => !this.#folded.has(section));
    for (const section of foldable) {
      if (isOpen) this.#folded.add(section);
      else this.#folded.delete(section);
    }
    const jumped = this.#jumped;
    this.#go(layout, chosen.length === 1 ? { section: chosen[0]!, line: 0, row: 0 } : this.#top);
    this.#jumped = chosen.length === 1 ? chosen[0] : jumped;
  }

  #typed(event: InputEvent, action: string | undefined): void {
    const from = this.#typing!.from;
    const text = typedText(event);
    if (text !== undefined && text >= " ") return this.#search(this.#wanted + text);
    if (event.kind === "key" && event.name === "backspace") {
      if (this.#wanted === "") this.#typing = undefined;
      else this.#search([...this.#wanted].slice(0, -1).join(""));
    } else if (event.kind === "key" && event.ctrl && event.name === "u") this.#search("");
    else if (action === "select:cancel") {
      this.#typing = undefined;
      this.#wanted = "";
      this.#match = undefined;
      this.#top = from;
    } else if (action === "select:accept") {
      this.#typing = undefined;
      if (this.#match === undefined && this.#wanted !== "") this.#said = `Not found: ${cleanRow(this.#wanted)}`;
    }
  }

  #search(wanted: string): void {
    this.#wanted = wanted;
    const layout = this.#layout;
    if (layout === undefined) return;
    const { from } = this.#typing!;
    // The line one looks at comes first.
    this.#match = findLine(layout, { ...from, line: from.line - 1 }, wanted, 1);
    if (this.#match) this.#show(layout, this.#match);
    else this.#top = from;
  }

  #nextMatch(layout: TextLayout, step: 1 | -1): void {
    if (this.#wanted === "") return;
    const from = this.#match ?? { ...this.#top, line: this.#top.line - step };
    this.#match = findLine(layout, from, this.#wanted, step);
    if (this.#match) this.#show(layout, this.#match);
    else this.#said = `Not found: ${cleanRow(this.#wanted)}`;
  }

  /** Moves only if the match is not on the screen. */
  #show(layout: TextLayout, { section, line }: Spot): void {
    this.#folded.delete(layout.sections[section]!);
    const row = rowOfMatch(layout.rowsOf(section, line), this.#wanted);
    const spot = { section, line, row };
    const bottom = layout.move(this.#top, this.#height - 1);
    const isVisible = compareSpots(spot, this.#top) >= 0 && compareSpots(spot, bottom) <= 0;
    if (!isVisible) this.#go(layout, layout.move(spot, -Math.floor(this.#height / 3)));
    else this.#follows = false;
  }

  #searchRow(columns: number, theme: Theme): string {
    const missing = this.#wanted !== "" && this.#match === undefined;
    const typed = cleanRow(this.#wanted);
    const room = Math.max(1, columns - 2);
    const tail = width(typed) > room ? Bun.sliceAnsi(typed, width(typed) - room) : typed;
    return `/${missing ? theme.paint("error", tail) : tail}`;
  }

  #statusRow(layout: TextLayout, columns: number, theme: Theme): string {
    const { title, place, inPlace } = this.#options;
    const of = place === "DiffDialog" ? "diffViewer" : "transcript";
    const actions: readonly (readonly [action: string, does: string])[] = [
      [place === undefined ? "scroll:close" : place === "DiffDialog" ? "diff:dismiss" : "transcript:exit", "close"],
      ...(this.#options.more ?? []).flatMap((each) => (each.isOffered() ? [[each.action, each.does] as const] : [])),
      ["scroll:search", "search"],
      ...(this.#wanted === "" ? [] : [["scroll:nextMatch", "next match"] as const]),
      ...(place === undefined ? [] : [[`${of}:fold`, "fold"] as const]),
      ...(place === "Transcript" ? [["transcript:previousPrompt", "previous prompt"] as const] : []),
      ...(place === "DiffDialog" ? [["diffViewer:nextFile", "next file"] as const] : []),
    ];
    const hints = actions.flatMap(([action, does]) => {
      const key = this.#keys.keyFor(action);
      return key === undefined ? [] : [`${key} ${does}`];
    });
    const where = this.#where(layout);
    const left =
      this.#said === "" ? [cleanRow(title), inPlace && where === "all" ? "" : where].filter(Boolean) : [this.#said];
    const separator = theme.ascii ? " - " : " · ";
    // Half a hint helps no one.
    while (hints.length > 1 && width([...left, ...hints].join(separator)) > columns) hints.pop();
    return theme.paint("dim", fit([...left, ...hints].join(separator), columns));
  }

  #where(layout: TextLayout): string {
    const isAtStart = compareSpots(this.#top, layout.settle(START)) <= 0;
    const isAtEnd = compareSpots(layout.move(this.#top, this.#height - 1), layout.last()) >= 0;
    if (isAtEnd) return isAtStart ? "all" : "end";
    if (isAtStart) return "start";
    // Only what was looked at is laid out, so this counts sections, and lines in the one at the top.
    const { section, line } = this.#top;
    const inside = line / Math.max(1, layout.lineCount(section));
    return `${Math.floor(((section + inside) / Math.max(1, layout.sections.length)) * 100)}%`;
  }
}
