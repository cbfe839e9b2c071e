// The panel of Ctrl+R: earlier prompts of this folder or of all, narrowed by what is typed. Choosing fills the prompt.

import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { TypedPrompt } from "@keelson/protocol";
import type { InputEvent, Key } from "../input/event.ts";
import { clean, cleanRow } from "../screen/clean.ts";
import { fit, width, wrap } from "../screen/rows.ts";
import { headingRow, hintRows } from "../widgets/heading.ts";
import { Editing } from "./editing.ts";
import { FuzzyIndex } from "@keelson/client/fuzzy";
import { KillRing } from "./text/kill-ring.ts";
import { TextBuffer } from "./text-buffer.ts";

export interface HistorySearchOptions {
  readonly bindings: Bindings;
  /** Newest first. */
  readonly recent: () => Promise<readonly TypedPrompt[]>;
  readonly all: () => Promise<readonly TypedPrompt[]>;
  /** Called when lines have arrived. */
  readonly changed: () => void;
}

type Scope = "recent" | "all";

const MOST_FUZZY = 50;
const MOST_PREVIEW = 6;

export function historySearch(options: HistorySearchOptions): Panel<TypedPrompt | null> {
  return new HistorySearch(options);
}

class HistorySearch implements Panel<TypedPrompt | null> {
  readonly #options: HistorySearchOptions;
  readonly #query = new TextBuffer();
  readonly #editing = new Editing(this.#query, new KillRing());
  readonly #lines: Partial<Record<Scope, readonly TypedPrompt[]>> = {};
  #scope: Scope = "all";
  #matches: readonly TypedPrompt[] = [];
  #marked = 0;

  constructor(options: HistorySearchOptions) {
    this.#options = options;
    this.#load();
  }

  take(event: InputEvent, _now: number): Done<TypedPrompt | null> | undefined {
    if (event.kind === "paste") {
      this.#query.insert(event.text.replaceAll("\n", " ").trim());
      this.#narrow();
      return undefined;
    }
    if (event.kind !== "key") return undefined;
    const meaning = this.#options.bindings.action(["HistorySearch", "Autocomplete"], event);
    if (meaning?.kind === "action") return this.#act(meaning.action, event);
    return meaning ? undefined : this.#type(event);
  }

  #act(action: string, key: Key): Done<TypedPrompt | null> | undefined {
    switch (action) {
      case "historySearch:cancel":
        return { value: null };
      case "historySearch:accept":
      case "historySearch:execute": {
        const line = this.#matches[this.#marked];
        return line && { value: line };
      }
      case "historySearch:cycleScope":
        this.#scope = this.#scope === "recent" ? "all" : "recent";
        this.#load();
        return undefined;
      case "historySearch:next":
      case "autocomplete:next":
        this.#marked = Math.min(this.#marked + 1, Math.max(0, this.#matches.length - 1));
        return undefined;
      case "autocomplete:previous":
        this.#marked = Math.max(0, this.#marked - 1);
        return undefined;
      default:
        return this.#type(key);
    }
  }

  #type(key: Key): Done<TypedPrompt | null> | undefined {
    if (key.name === "backspace" && this.#query.isEmpty) return { value: null };
    if (this.#editing.take(key)) this.#narrow();
    return undefined;
  }

  #load(): void {
    const scope = this.#scope;
    this.#narrow();
    if (this.#lines[scope]) return;
    void this.#options[scope]().then(
      (lines) => this.#loaded(scope, lines),
      () => this.#loaded(scope, []),
    );
  }

  #loaded(scope: Scope, lines: readonly TypedPrompt[]): void {
    this.#lines[scope] = withoutRepeats(lines);
    this.#narrow();
    this.#options.changed();
  }

  #narrow(): void {
    this.#matches = matchHistory(this.#query.text(), this.#lines[this.#scope] ?? []);
    this.#marked = 0;
  }

  render(frame: Frame): Rendered {
    const { columns, theme } = frame;
    const query = cleanRow(this.#query.text());
    const label = "Search: ";
    const scope = this.#scope === "recent" ? "this folder" : "all folders";
    const field = fit(query, Math.max(1, columns - width(label) - 1));
    const head = [
      headingRow(columns, theme, { title: "Prompt history", aside: scope }),
      theme.paint("dim", label) + field,
    ];
    const foot = this.#hints(frame);
    const room = Math.max(1, frame.rows - head.length - foot.length);
    const preview = this.#preview(frame, Math.max(0, Math.min(MOST_PREVIEW, Math.floor(room / 2) - 1)));
    const list = this.#list(frame, Math.max(1, room - preview.length));
    const rows = [...head, ...list, ...preview, ...foot].slice(0, Math.max(head.length, frame.rows));
    return { rows, cursor: { row: 1, column: Math.min(columns - 1, width(label) + width(field)) } };
  }

  #list(frame: Frame, room: number): string[] {
    if (this.#matches.length === 0) {
      const text = this.#lines[this.#scope] ? "No earlier prompt matches" : "Reading the history…";
      return [frame.theme.paint("dim", fit(`  ${text}`, frame.columns))];
    }
    const count = Math.min(room, this.#matches.length);
    const top = Math.max(0, Math.min(this.#marked - Math.floor(count / 2), this.#matches.length - count));
    return this.#matches.slice(top, top + count).map((line, at) => {
      const isMarked = top + at === this.#marked;
      const place = this.#scope === "all" ? cleanRow(`  ${line.project.split("/").at(-1) ?? ""}`) : "";
      const shownPlace = width(place) < frame.columns / 3 ? place : "";
      const text = fit(cleanRow(line.display.trim()), Math.max(1, frame.columns - 2 - width(shownPlace)));
      const sign = isMarked ? (frame.theme.ascii ? "> " : "❯ ") : "  ";
      return (
        (isMarked ? frame.theme.paint("suggestion", sign + text) : sign + text) + frame.theme.paint("dim", shownPlace)
      );
    });
  }

  /** The marked prompt, if one row does not show all of it. */
  #preview(frame: Frame, room: number): string[] {
    const line = this.#matches[this.#marked];
    if (!line || room < 1) return [];
    const text = clean(line.display.slice(0, 4_000)).replaceAll("\t", "  ");
    if (!text.includes("\n") && width(text) <= frame.columns - 2) return [];
    const rows = wrap(text, Math.max(1, frame.columns - 2));
    const shown = rows
      .slice(0, room)
      .map((row) => `${frame.theme.paint("border", frame.theme.ascii ? "| " : "│ ")}${row}`);
    if (rows.length > room)
      shown[room - 1] = frame.theme.paint("dim", fit(`… ${rows.length - room + 1} more rows`, frame.columns));
    return shown;
  }

  #hints({ columns, rows, theme }: Frame): string[] {
    const { bindings } = this.#options;
    const hint = (action: string, does: string) => ({
      key: bindings.keyFor("HistorySearch", `historySearch:${action}`),
      does,
    });
    const other = this.#scope === "recent" ? "all folders" : "this folder";
    const hints = [hint("execute", "fill in"), hint("cycleScope", other), hint("cancel", "cancel")];
    return hintRows(hints, columns, theme).slice(0, rows > 12 ? 2 : 1);
  }
}

/** Lines that contain all words, newest first; if there are none, lines with the letters in this order. */
export function matchHistory(query: string, lines: readonly TypedPrompt[]): readonly TypedPrompt[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  const found = lines.filter(({ display }) => {
    const lower = display.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  if (found.length > 0) return found;
  const byText = new Map(lines.map((line) => [line.display, line]));
  const index = new FuzzyIndex([...byText.keys()].filter((text) => text.length < 1_000));
  return index.search(query, MOST_FUZZY).flatMap((text) => byText.get(text) ?? []);
}

function withoutRepeats(lines: readonly TypedPrompt[]): TypedPrompt[] {
  const seen = new Set<string>();
  return lines.filter(({ display }) => !seen.has(display) && seen.add(display));
}
