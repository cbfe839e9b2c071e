// Frames that the window was resized under: they were made for one width and arrived at another, so they began at the
// wrong row. Says what is on the screen then, once everything that was on its way has arrived.

import {
  brokenAt,
  cutTo,
  ResizedArea,
  rowOfLines,
  writtenText,
  type DrawnArea,
  type Reflow,
  type ScreenLine,
} from "./reflow.ts";
import { width } from "../rows.ts";
import type { ScreenSize } from "../port.ts";

/** What a frame wrote. */
export interface PaintedRows {
  readonly finished: readonly string[];
  readonly rows: readonly string[];
  /** Which of the rows were written. The others were there. */
  readonly changed: readonly number[];
  /** How many rows were there. Those that were written are erased before, and those that are too many after. */
  readonly old: number;
  /** Whether everything was erased first. */
  readonly anew: boolean;
  readonly cursor: number;
}

/** A frame on its way. */
export interface SentFrame {
  readonly columns: number;
  /** What was on the screen before, the sizes the window had since, and how far up from its cursor the frame began. */
  readonly before: DrawnArea;
  readonly sizes: readonly ScreenSize[];
  readonly up: number;
  readonly painted: PaintedRows;
  /** Where on the screen the cursor is after it, unless the window is resized first. Undefined if not known. */
  readonly y: number | undefined;
}

export interface Misplacement {
  /** What the frame was made for, and what it found. */
  readonly madeFor: number;
  readonly size: ScreenSize;
  /** Everything that is to be erased: what was live before, finished rows that came after it, and what is live. */
  readonly rows: readonly string[];
  /** Which of them has the cursor, in which of its lines, and which is the first that is live. */
  readonly cursor: { readonly row: number; readonly line: number };
  readonly live: number;
  /** The finished rows among them. */
  readonly finished: readonly string[];
  /** How many lines of what was finished before are gone, because the frame began too high. */
  readonly erased: number;
}

export class LateFrames {
  #found: Misplacement | undefined;

  get any(): boolean {
    return this.#found !== undefined;
  }

  /** A frame arrived after the window had these sizes. */
  add({ columns, before, sizes, up, painted }: SentFrame, since: readonly ScreenSize[], reflow: Reflow): void {
    const found = this.#found;
    const size = since.at(-1)!;
    const area = new ResizedArea(found ? { ...before, ...underneath(found, before) } : before, reflow);
    for (const step of [...sizes, ...since]) area.step(step);
    const by = area.above - up;
    const lines = [...Array.from({ length: Math.max(0, -by) }, () => BLANK), ...area.lines()];
    const live = paintOver(lines, painted, { from: Math.max(0, by), up, columns: size.columns });
    this.#found = {
      madeFor: columns,
      size,
      ...joined(lines, { live, cursor: live + painted.cursor, columns: size.columns }),
      finished: [...(found?.finished ?? []), ...painted.finished],
      erased: (found?.erased ?? 0) + Math.max(0, -by),
    };
  }

  take(): Misplacement | undefined {
    const found = this.#found;
    this.#found = undefined;
    return found;
  }
}

const BLANK: ScreenLine = { text: "", continues: false };

/** What a frame found that was sent before it was known where the one before it was. */
function underneath(
  { rows, cursor, size }: Misplacement,
  before: DrawnArea,
): Pick<DrawnArea, "rows" | "cursor" | "size"> {
  return {
    rows,
    cursor: { row: cursor.row, column: cursor.line * size.columns + Math.max(0, before.cursor.column) },
    size,
  };
}

/** Returns the line of the first live row. */
function paintOver(
  lines: ScreenLine[],
  { finished, rows, changed, old, anew, cursor }: PaintedRows,
  { from, up, columns }: { readonly from: number; readonly up: number; readonly columns: number },
): number {
  const reach = (count: number) => {
    while (lines.length < count) lines.push(BLANK);
  };
  const put = (at: number, line: ScreenLine) => {
    reach(at);
    lines[at] = line;
  };
  if (anew) lines.length = Math.min(lines.length, from);
  let live = from;
  for (const row of finished) {
    const text = writtenText(row);
    for (const [line, part] of brokenAt(text, columns).entries()) {
      // Only where the row begins the line was erased.
      const rest = line === 0 ? "" : Bun.sliceAnsi((lines[live] ?? BLANK).text, width(part), columns);
      put(live++, { text: part + rest, continues: line > 0 });
    }
  }
  for (const at of changed) {
    const [text] = cutTo([writtenText(rows[at]!)], columns) as [string];
    const there = lines[live + at] ?? BLANK;
    const rest = at < old ? "" : Bun.sliceAnsi(there.text, width(text), columns);
    put(live + at, { text: text + rest, continues: at >= old && there.continues });
  }
  reach(live + Math.max(1, rows.length));
  // The pen went down by line feeds. Each line it came to begins a row from then on.
  const way = [...changed, ...(old > rows.length ? [rows.length] : []), cursor];
  const first = anew || finished.length > 0 ? from : live + way[0]!;
  const last = Math.min(live + Math.max(...way), lines.length - 1);
  for (let at = Math.max(live, Math.min(first, from + up) + 1); at <= last; at++) {
    lines[at] = { ...lines[at]!, continues: false };
  }
  if (old > rows.length) lines.length = live + Math.max(1, rows.length);
  return live;
}

/** The lines as rows of an area. */
function joined(
  lines: readonly ScreenLine[],
  { live, cursor, columns }: { readonly live: number; readonly cursor: number; readonly columns: number },
): Pick<Misplacement, "rows" | "cursor" | "live"> {
  const groups: string[][] = [];
  const found = { live: 0, cursor: { row: 0, line: 0 } };
  for (const [at, { text, continues }] of lines.entries()) {
    if (continues && groups.length > 0) groups.at(-1)!.push(text);
    else groups.push([text]);
    const row = groups.length - 1;
    if (at === live) found.live = row;
    if (at === cursor) found.cursor = { row, line: groups[row]!.length - 1 };
  }
  return { rows: groups.map((group) => rowOfLines(group, columns)), ...found };
}
