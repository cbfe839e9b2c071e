// Frames that the window was resized under: they were made for one width and arrived at another, so they began at the
// wrong row. Says what is on the screen then, once everything that was on its way has arrived.

import { cutTo, ResizedArea, rowsTaken, type DrawnArea, type Reflow, type ScreenLine } from "./reflow.ts";
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
}

export interface Misplacement {
  /** What the frame was made for, and what it found. */
  readonly madeFor: number;
  readonly size: ScreenSize;
  /** Everything that is to be erased: what was live before, finished rows that came after it, and what is live. */
  readonly rows: readonly string[];
  /** Which of them has the cursor, and which is the first that is live. */
  readonly cursor: number;
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
    const live = paintOver(lines, painted, { from: Math.max(0, by), columns: size.columns });
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
  return { rows, cursor: { ...before.cursor, row: cursor }, size };
}

/** Returns the line of the first live row. */
function paintOver(
  lines: ScreenLine[],
  { finished, rows, changed, old, anew }: PaintedRows,
  { from, columns }: { readonly from: number; readonly columns: number },
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
    const text = Bun.stripANSI(row);
    for (let line = 0; line < rowsTaken(text, columns); line++) {
      put(live++, { text: Bun.sliceAnsi(text, line * columns, (line + 1) * columns), continues: line > 0 });
    }
  }
  for (const at of changed) {
    const [text] = cutTo([Bun.stripANSI(rows[at]!)], columns) as [string];
    const there = lines[live + at] ?? BLANK;
    const rest = at < old ? "" : Bun.sliceAnsi(there.text, width(text), columns);
    put(live + at, { text: text + rest, continues: at >= old && there.continues });
  }
  reach(live + Math.max(1, rows.length));
  if (old > rows.length) lines.length = live + Math.max(1, rows.length);
  return live;
}

/** The lines as rows of an area. The one with the cursor begins a row. */
function joined(
  lines: readonly ScreenLine[],
  { live, cursor, columns }: { readonly live: number; readonly cursor: number; readonly columns: number },
): Pick<Misplacement, "rows" | "cursor" | "live"> {
  const rows: string[] = [];
  const found = { live: 0, cursor: 0 };
  for (const [at, { text, continues }] of lines.entries()) {
    const last = rows.at(-1);
    if (!continues || last === undefined || at === cursor) rows.push(text);
    else rows[rows.length - 1] = last + " ".repeat((columns - (width(last) % columns)) % columns) + text;
    if (at === live) found.live = rows.length - 1;
    if (at === cursor) found.cursor = rows.length - 1;
  }
  return { rows, ...found };
}
