// Divides the rows of a frame among the parts of a dialog. What can be chosen comes first; the text in the middle scrolls
// in the rest. Nobody answers about a text that cannot be seen: a row of it and how much there is stay in any window.

import { fit } from "../screen/rows.ts";
import type { Frame, Rendered } from "../screen/view.ts";
import type { ScrollText } from "./scroll-text.ts";

export interface StackedParts {
  readonly head: readonly string[];
  readonly body: ScrollText;
  readonly question: readonly string[];
  list(rows: number): Rendered;
  readonly foot: readonly string[];
}

/** Rows of the text that stay visible even if the list has to scroll for it. */
const LEAST_TEXT = 4;
const LEAST_LIST = 3;
/** The same in a window of a few rows: the heading goes for it, and the question has one row. */
const LAST_TEXT = 2;
const LAST_LIST = 2;

export function stacked({ columns, rows, theme }: Frame, { body, list, foot, ...parts }: StackedParts): Rendered {
  const text = body.all(columns, theme).length;
  const full = list(rows).rows.length;
  const last = Math.min(text, LAST_TEXT) + Math.min(full, LAST_LIST);
  const question = parts.question.length + last <= rows ? parts.question : parts.question.slice(0, 1);
  const head = parts.head.length + question.length + last <= rows ? parts.head : [];
  const needed = head.length + question.length + Math.min(text, LEAST_TEXT) + Math.min(full, LEAST_LIST + 1);
  const keys = needed + foot.length <= rows ? foot : foot.slice(0, Math.max(0, rows - needed));
  const left = rows - head.length - question.length - keys.length;
  const least = Math.min(full, LEAST_LIST, Math.max(LAST_LIST, left - Math.min(text, LAST_TEXT)));
  const forList = Math.max(least, Math.min(full, left - Math.min(text, LEAST_TEXT)));
  const chosen = list(Math.max(1, Math.min(forList, left)));
  const shown = body.render(columns, Math.max(0, left - chosen.rows.length), theme);
  const gap = left - chosen.rows.length - shown.length;
  const spaces = shown.length === 0 ? 0 : Math.max(0, Math.min(2, gap));
  const all = [
    ...head,
    ...shown,
    ...blank(spaces > 0),
    ...question,
    ...chosen.rows,
    ...blank(spaces > 1 && keys.length > 0),
    ...keys,
  ];
  const at = head.length + shown.length + (spaces > 0 ? 1 : 0) + question.length;
  const over = Math.max(0, all.length - rows);
  const { cursor } = chosen;
  return {
    // In a frame of a few columns, even a number and a sign may be too wide.
    rows: all.slice(over).map((row) => fit(row, columns)),
    ...(cursor
      ? { cursor: { row: Math.max(0, at + cursor.row - over), column: Math.min(cursor.column, columns - 1) } }
      : {}),
  };
}

const blank = (wanted: boolean) => (wanted ? [""] : []);
