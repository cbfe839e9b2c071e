// Stacks views into the live area. When there is not enough room, what matters most gets it first.

import type { Frame, Rendered, View } from "../../screen/view.ts";

export interface ScreenPart {
  readonly view: View;
  /** Parts with lower numbers get room first. */
  readonly rank: number;
  /** The part with the cursor. */
  readonly focused?: boolean;
  /** Looks different in every frame. */
  readonly moves?: boolean;
}

/** How parts that do not move looked, and the room they had. */
export type StillParts = Map<ScreenPart, { readonly room: number; readonly rendered: Rendered }>;

/**
 * The parts from top to bottom, in at most `frame.rows` rows. What is in `still` is not rendered again if it has as much
 * room as before; the rest is added to it.
 */
export function stack(parts: readonly ScreenPart[], frame: Frame, still: StillParts = new Map()): Rendered {
  const rendered = new Map<ScreenPart, Rendered>();
  let left = frame.rows;
  for (const part of parts.toSorted((one, other) => one.rank - other.rank)) {
    if (left <= 0) break;
    const before = still.get(part);
    const shown = before?.room === left ? before.rendered : renderPart(part, { ...frame, rows: left });
    if (!part.moves && shown !== before?.rendered) still.set(part, { room: left, rendered: shown });
    rendered.set(part, shown);
    left -= shown.rows.length;
  }
  const rows: string[] = [];
  let cursor: Rendered["cursor"];
  for (const part of parts) {
    const shown = rendered.get(part);
    if (!shown) continue;
    if (part.focused && shown.cursor) cursor = { ...shown.cursor, row: shown.cursor.row + rows.length };
    rows.push(...shown.rows);
  }
  return cursor ? { rows, cursor } : { rows };
}

/** Its last rows, if it has more than there is room for. */
function renderPart({ view }: ScreenPart, frame: Frame): Rendered {
  const { rows, cursor } = view.render(frame);
  const cut = Math.max(0, rows.length - frame.rows);
  return {
    rows: cut > 0 ? rows.slice(cut) : rows,
    ...(cursor && cursor.row >= cut ? { cursor: { ...cursor, row: cursor.row - cut } } : {}),
  };
}
