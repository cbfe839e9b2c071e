// How the prompt looks: a rule, the sign, the draft in as many rows as fit, a rule, and the list of completions.

import type { Frame, Rendered } from "../screen/view.ts";
import { fit, width } from "../screen/rows.ts";
import { cleanRow } from "../screen/clean.ts";
import type { Completion } from "../complete/completion.ts";
import { menuRows } from "../complete/menu.ts";
import type { PromptDraft } from "./draft.ts";
import { isBefore, type TextPoint } from "./text-buffer.ts";
import { findPlaceholders } from "./paste/attachments.ts";
import { shownBetween } from "./text/line.ts";
import { countRows, type Viewport, type VisibleRow } from "./text/viewport.ts";
import type { StyleName } from "../theme/theme.ts";
import type { PromptMode } from "./effects.ts";

export interface PromptLook {
  readonly draft: PromptDraft;
  readonly viewport: Viewport;
  readonly completion: Completion;
  /** Shown in an empty prompt. */
  readonly placeholder: string;
  readonly selection: { readonly from: TextPoint; readonly to: TextPoint } | undefined;
  /** No rules and a plain sign, for screen readers. */
  readonly plain: boolean;
}

/** Sign and space. */
const INDENT = 2;
/** Rows below which the rules are left out. */
const FEW_ROWS = 6;

const MODE_STYLE: Readonly<Record<PromptMode, StyleName>> = { prompt: "user", shell: "shell", memory: "memory" };

/** The columns that text has in a frame. One is kept free for the cursor behind a full row. */
export function textColumns(columns: number): number {
  return Math.max(1, columns - INDENT - 1);
}

export function drawPrompt(look: PromptLook, frame: Frame): Rendered {
  const { draft, viewport, completion, plain } = look;
  const rules = !plain && frame.rows >= FEW_ROWS;
  const columns = textColumns(frame.columns);
  const room = Math.max(1, frame.rows - (rules ? 2 : 0));
  const height = countRows(draft.buffer, columns, Math.max(1, Math.min(room, Math.ceil(frame.rows / 2))));
  const visible = viewport.visible(draft.buffer, columns, height);
  const lines = visible.rows.map(
    (row, at) => signOf(look, frame, at === 0 && !visible.above) + paintRow(look, frame, row),
  );
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? "") + ghost(look, frame, columns);
  const menu = menuRows(completion.rows, completion.marked, { ...frame, rows: room - height });
  const style = draft.mode === "prompt" ? "border" : MODE_STYLE[draft.mode];
  const rows = rules
    ? [rule(frame, style, visible.above ? "↑" : ""), ...lines, rule(frame, style, visible.below ? "↓" : ""), ...menu]
    : [...lines, ...menu];
  return {
    rows,
    cursor: {
      row: visible.cursor.row + (rules ? 1 : 0),
      column: Math.min(Math.max(0, frame.columns - 1), visible.cursor.column + INDENT),
    },
  };
}

function signOf({ draft, plain }: PromptLook, { theme }: Frame, isFirst: boolean): string {
  if (!isFirst) return " ".repeat(INDENT);
  if (draft.mode === "shell") return `${theme.paint("shell", "!")} `;
  if (draft.mode === "memory") return `${theme.paint("memory", "#")} `;
  return plain ? "$ " : `${theme.paint("accent", theme.ascii ? ">" : "❯")} `;
}

function paintRow({ draft, selection }: PromptLook, { theme }: Frame, row: VisibleRow): string {
  const text = draft.buffer.lineText(row.line);
  const shown = (from: number, to: number): string => shownBetween(text, from, to);
  const marks: { start: number; end: number; style: StyleName }[] = [];
  if (selection) {
    const start = isBefore(selection.from, { line: row.line, offset: row.start }) ? row.start : selection.from.offset;
    const end = isBefore({ line: row.line, offset: row.end }, selection.to) ? row.end : selection.to.offset;
    if (selection.from.line <= row.line && row.line <= selection.to.line)
      marks.push({ start, end, style: "underline" });
  } else {
    for (const { start, end } of nearPlaceholders(text, row)) marks.push({ start, end, style: "accent" });
    const command =
      row.line === 0 && row.start === 0 && draft.mode === "prompt"
        ? /^\/[\w:-]+(?=\s|$)/.exec(text.slice(0, 200))
        : null;
    if (command) marks.push({ start: 0, end: command[0].length, style: "suggestion" });
  }
  let painted = "";
  let at = row.start;
  for (const mark of marks) {
    const start = Math.max(at, Math.min(mark.start, row.end));
    const end = Math.min(mark.end, row.end);
    if (end <= start) continue;
    painted += shown(at, start) + theme.paint(mark.style, shown(start, end));
    at = end;
  }
  return painted + shown(at, row.end);
}

/** Placeholders in or around a row; the rest of a long line is not looked at. */
function nearPlaceholders(text: string, row: VisibleRow): { start: number; end: number }[] {
  const from = Math.max(0, row.start - 60);
  return findPlaceholders(text.slice(from, row.end + 60))
    .map(({ start, end }) => ({ start: start + from, end: end + from }))
    .filter(({ start, end }) => end > row.start && start < row.end);
}

function ghost({ draft, completion, placeholder }: PromptLook, frame: Frame, columns: number): string {
  if (draft.buffer.isEmpty)
    return placeholder === "" ? "" : frame.theme.paint("dim", fit(cleanRow(placeholder), columns));
  const hint = completion.argumentHint(draft.buffer);
  if (hint === undefined) return "";
  const room = columns - width(draft.buffer.lineText(0));
  return room < 2 ? "" : frame.theme.paint("dim", fit(cleanRow(hint), room));
}

function rule({ theme, columns }: Frame, style: StyleName, sign: string): string {
  const line = (theme.ascii ? "-" : "─").repeat(Math.max(0, columns - (sign === "" ? 0 : 3)));
  return theme.paint(style, sign === "" ? line : `${line} ${theme.ascii ? (sign === "↑" ? "^" : "v") : sign} `);
}
