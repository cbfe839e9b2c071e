// Small panels that others open: a text to read, a line to write, a few things to choose from.

import type { InputEvent } from "../input/event.ts";
import { ChoiceList, type ChoiceRow } from "../pickers/choice-rows.ts";
import { cleanRow } from "../screen/clean.ts";
import { wrap } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import { Pager } from "../viewer/pager.ts";
import { linesOfText, type PagerSection } from "../viewer/section.ts";
import { headingRow, hintRows } from "../widgets/heading.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { TextField } from "../widgets/text-field.ts";
import type { PanelEnd } from "./context.ts";
import { panelKeys, typedText } from "./panel-keys.ts";

export interface TextPanelOptions {
  readonly title: string;
  readonly keys: KeyLookup;
  /** Asked for each frame. The same lines mean that nothing changed. */
  lines(columns: number, theme: Theme): readonly string[];
  /** Shows the end and follows it. */
  readonly follows?: boolean;
  every?(): number | undefined;
}

/** A text in the place of the prompt: scrolls and searches like a viewer, but takes no more rows than it needs. */
export function textPanel({ title, keys, lines, follows, every }: TextPanelOptions): Panel<null> {
  let shown: readonly string[] | undefined;
  let section: PagerSection = { lines: () => [] };
  let frame: Pick<Frame, "columns" | "theme"> | undefined;
  const sections = () => {
    if (frame === undefined) return [];
    const now = lines(frame.columns, frame.theme);
    if (now !== shown) {
      shown = now;
      section = { lines: () => now };
    }
    return [section];
  };
  const pager = new Pager({
    title: "",
    sections,
    keys,
    inPlace: true,
    opensAt: follows ? "end" : "start",
    ...(every ? { every } : {}),
  });
  return {
    take: (event) => pager.take(event),
    render(given) {
      frame = given;
      const heading = headingRow(given.columns, given.theme, { title });
      const inner = pager.render({ ...given, rows: Math.max(1, given.rows - 1) });
      return {
        rows: [heading, ...inner.rows].slice(0, given.rows),
        ...(inner.cursor ? { cursor: { ...inner.cursor, row: inner.cursor.row + 1 } } : {}),
      };
    },
    nextChange: () => pager.nextChange(),
  };
}

/** The lines of a text that does not change. */
export function fixedLines(text: string): TextPanelOptions["lines"] {
  const lines = linesOfText(text);
  return () => lines;
}

export interface LinePanelOptions {
  readonly title: string;
  /** What to write, in one or two sentences. */
  readonly about: string;
  readonly placeholder?: string;
  /** Taken if nothing is written. */
  readonly standard?: string;
  readonly keys: KeyLookup;
  /** Why a text cannot be taken; undefined if it can. */
  problem?(text: string): string | undefined;
}

/** One line to write. Null if it was cancelled. */
export function linePanel(options: LinePanelOptions): Panel<string | null> {
  const { title, about, placeholder = "" } = options;
  const keys = panelKeys(options.keys);
  const field = new TextField();
  let problem = "";
  return {
    take(event: InputEvent): Done<string | null> | undefined {
      const isTyped = typedText(event) !== undefined;
      const action = event.kind === "key" && !isTyped ? keys.action(event, ["Select"]) : undefined;
      if (action === "select:cancel") return { value: null };
      if (action === "select:accept") {
        const text = field.text.trim() || (options.standard ?? "");
        problem = text === "" ? "" : (options.problem?.(text) ?? "");
        return text === "" || problem !== "" ? undefined : { value: text };
      }
      field.take(event);
      return undefined;
    },
    render({ columns, rows, theme }: Frame): Rendered {
      const written = field.render({ columns: columns - 2, theme, placeholder });
      const text = wrap(cleanRow(about), columns).map((row) => theme.paint("dim", row.trim()));
      const head = [headingRow(columns, theme, { title }), ...text.slice(0, Math.max(0, rows - 4))];
      const said = problem === "" ? [] : wrap(cleanRow(problem), columns).map((row) => theme.paint("error", row));
      const hints = hintRows(
        [
          { action: "select:accept", does: "continue" },
          { action: "select:cancel", does: "cancel" },
        ],
        columns,
        theme,
        keys,
      );
      const sign = theme.paint("suggestion", theme.ascii ? "> " : "❯ ");
      return {
        rows: [...head, `${sign}${written.rows[0] ?? ""}`, ...said, ...hints].slice(0, rows),
        cursor: { row: Math.min(rows - 1, head.length), column: 2 + (written.cursor?.column ?? 0) },
      };
    },
  };
}

/** A few things to choose from. The index, or null if it was cancelled. */
export function choicesPanel(options: {
  readonly title: string;
  readonly choices: readonly ChoiceRow[];
  readonly keys: KeyLookup;
  readonly marked?: number;
  readonly about?: string;
  /** No choice has consequences. */
  readonly harmless?: boolean;
  /** It follows a line that was written. */
  readonly afterTyping?: boolean;
}): Panel<number | null> {
  const { title, choices, about = "", marked = 0, harmless, afterTyping } = options;
  const keys = panelKeys(options.keys);
  const list = new ChoiceList(marked, { harmless, afterTyping });
  return {
    take(event: InputEvent): Done<number | null> | undefined {
      const end = list.take(event, choices.length, keys);
      if (end === "cancel") return { value: null };
      return end === "accept" ? { value: list.selected } : undefined;
    },
    render({ columns, rows, theme }: Frame): Rendered {
      const hints = hintRows(
        [
          list.awaitsArrow ? { key: "↑/↓", does: "mark, then Enter" } : { action: "select:accept", does: "choose" },
          { action: "select:cancel", does: "cancel" },
        ],
        columns,
        theme,
        keys,
      ).slice(0, 1);
      const text = about === "" ? [] : wrap(cleanRow(about), columns).slice(0, Math.max(0, rows - choices.length - 2));
      const room = Math.max(1, rows - 1 - text.length - hints.length);
      const listed = list.render(choices, { columns, rows: room, theme });
      return { rows: [headingRow(columns, theme, { title }), ...text, ...listed, ...hints].slice(0, rows) };
    },
  };
}

/** A text that leaves a note when it is closed. */
export function closing(panel: Panel<null>, end: PanelEnd = {}): Panel<PanelEnd> {
  return ending(panel, () => end);
}

/** A panel whose answer is the end of a command. */
export function ending<A>(panel: Panel<A>, end: (value: A) => PanelEnd): Panel<PanelEnd> {
  return {
    take(event, now) {
      const done = panel.take(event, now);
      return done && { value: end(done.value) };
    },
    render: (frame) => panel.render(frame),
    nextChange: (now) => panel.nextChange?.(now),
  };
}
