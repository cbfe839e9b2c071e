// Draws a list: wrapped entries with descriptions, as many as there is room for, around the marked one.

import { cleanRow } from "../screen/clean.ts";
import { fit, wrap } from "../screen/rows.ts";
import type { Frame, Rendered } from "../screen/view.ts";
import type { TextField } from "./text-field.ts";

export interface ShownEntry {
  readonly label: string;
  readonly description?: string;
  readonly disabled?: boolean;
  readonly apart?: boolean;
  readonly number?: number;
  readonly isMarked: boolean;
  /** In a list for several. */
  readonly ticked?: boolean;
  /** Open for writing. */
  readonly field: TextField | undefined;
  readonly placeholder?: string;
  /** The text of a field that is closed. */
  readonly written: string;
}

/** The rows of one entry. */
export interface EntryRows {
  readonly rows: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
}

export function renderList(
  entries: readonly ShownEntry[],
  frame: Frame,
  options: { readonly numbers: number; readonly filter: string | false | undefined },
): Rendered {
  const { theme, columns } = frame;
  const head: string[] = [];
  if (typeof options.filter === "string") {
    const text = options.filter === "" ? theme.paint("dim", "Type to search") : cleanRow(options.filter);
    head.push(fit(`${theme.paint("dim", theme.ascii ? "/" : "⌕")} ${text}`, columns));
  }
  if (entries.length === 0) return { rows: [...head, theme.paint("dim", "  No matches")] };
  const digits = String(options.numbers).length;
  const room = Math.max(1, frame.rows - head.length);
  const marked = Math.max(
    0,
    entries.findIndex(({ isMarked }) => isMarked),
  );
  // Of a long list, only what may be seen is drawn.
  const first = Math.max(0, marked - room);
  const near = entries.slice(first, marked + room + 1);
  const hidden = { above: first, below: entries.length - first - near.length };
  const draw = (descriptions: "all" | "marked" | "none") =>
    near.map((entry) =>
      blockOf(entry, frame, digits, descriptions === "all" || (descriptions === "marked" && entry.isMarked)),
    );
  const isWhole = near.length === entries.length;
  const fitting = (["all", "marked", "none"] as const).map(draw).find((blocks) => heightOf(blocks) <= room);
  const blocks = isWhole && fitting ? fitting : draw("marked");
  const body = fitEntries(blocks, marked - first, { ...frame, rows: room }, hidden);
  const { cursor } = body;
  return {
    rows: [...head, ...body.rows],
    ...(cursor ? { cursor: { row: cursor.row + head.length, column: cursor.column } } : {}),
  };
}

function blockOf(entry: ShownEntry, { columns, theme }: Frame, digits: number, described: boolean): EntryRows {
  const { isMarked, number, ticked } = entry;
  const sign = isMarked ? theme.paint("accent", theme.ascii ? ">" : "❯") : " ";
  const count = number === undefined ? "" : `${String(number).padStart(digits)}. `;
  const box = ticked === undefined ? "" : `${ticked ? (theme.ascii ? "[x]" : "[✔]") : "[ ]"} `;
  const indent = 2 + count.length + (box === "" ? 0 : 4);
  const style = entry.disabled ? "dim" : isMarked ? "accent" : "text";
  const room = columns - indent;
  const label = wrap(theme.paint(style, entry.label), room);
  const lead = `${sign} ${theme.paint(style, count)}${theme.paint(ticked ? "success" : style, box)}`;
  const space = " ".repeat(indent);
  const rows = [...(entry.apart ? [""] : []), `${lead}${label[0]!}`, ...label.slice(1).map((row) => `${space}${row}`)];
  if (described && entry.description) {
    const text = wrap(theme.paint("dim", entry.description), room);
    rows.push(...text.map((row) => `${space}${row}`));
  }
  const arrow = theme.ascii ? "> " : "↳ ";
  if (entry.field) {
    const field = entry.field.render({ columns: room - 2, theme, rows: 4, placeholder: entry.placeholder });
    const first = rows.length;
    rows.push(...field.rows.map((row, at) => `${space}${at === 0 ? theme.paint("accent", arrow) : "  "}${row}`));
    const { row, column } = field.cursor!;
    return { rows, cursor: { row: first + row, column: indent + 2 + column } };
  }
  if (entry.written !== "") rows.push(`${space}${theme.paint("dim", arrow)}${fit(cleanRow(entry.written), room - 2)}`);
  return { rows };
}

const heightOf = (blocks: readonly EntryRows[]) => blocks.reduce((sum, { rows }) => sum + rows.length, 0);

/** All entries, or those that fit around the marked one. */
export function fitEntries(
  blocks: readonly EntryRows[],
  marked: number,
  frame: Frame,
  hidden: HiddenEntries = { above: 0, below: 0 },
): Rendered {
  const isWhole = hidden.above + hidden.below === 0 && heightOf(blocks) <= frame.rows;
  return isWhole ? joined(blocks) : windowed(blocks, marked, frame, hidden);
}

/** How many entries were not even drawn. */
interface HiddenEntries {
  readonly above: number;
  readonly below: number;
}

function joined(blocks: readonly EntryRows[]): Rendered {
  const rows: string[] = [];
  let cursor: Rendered["cursor"];
  for (const block of blocks) {
    if (block.cursor) cursor = { row: rows.length + block.cursor.row, column: block.cursor.column };
    rows.push(...block.rows);
  }
  return { rows, ...(cursor ? { cursor } : {}) };
}

/** The marked entry and what fits around it, with a row that says how many are left out on either side. */
function windowed(
  blocks: readonly EntryRows[],
  marked: number,
  { rows: room, theme, columns }: Frame,
  hidden: HiddenEntries,
): Rendered {
  let [first, end] = [marked, marked + 1];
  const height = (from: number, to: number) =>
    heightOf(blocks.slice(from, to)) +
    (from + hidden.above > 0 ? 1 : 0) +
    (to < blocks.length || hidden.below > 0 ? 1 : 0);
  for (let grown = true; grown;) {
    grown = false;
    if (end < blocks.length && height(first, end + 1) <= room) {
      end++;
      grown = true;
    }
    if (first > 0 && height(first - 1, end) <= room) {
      first--;
      grown = true;
    }
  }
  const note = (count: number, sign: string) => theme.paint("dim", fit(`  ${sign} ${count} more`, columns));
  const [up, down] = theme.ascii ? ["^", "v"] : ["↑", "↓"];
  const body = joined(blocks.slice(first, end));
  const [before, after] = [first + hidden.above, blocks.length - end + hidden.below];
  const above = before > 0 && body.rows.length < room ? [note(before, up)] : [];
  const below = after > 0 && body.rows.length + above.length < room ? [note(after, down)] : [];
  // An entry higher than the room loses its end, not its beginning, unless someone writes there.
  const from = body.cursor ? Math.max(0, body.cursor.row - room + 1) : 0;
  const rows = body.rows.slice(from, from + room);
  return {
    rows: [...above, ...rows, ...below],
    ...(body.cursor ? { cursor: { row: above.length + body.cursor.row - from, column: body.cursor.column } } : {}),
  };
}
