// Stacks views into the live area. When there is not enough room, what matters most gets it first.

import type { Frame, Rendered, View } from "../../screen/view.ts";

export interface ScreenPart {
  readonly view: View;
  /** Parts with lower numbers get room first. */
  readonly rank: number;
  /** The part with the cursor. */
  readonly focused?: boolean;
}

/** The parts from top to bottom, in at most `frame.rows` rows. */
export function stack(parts: readonly ScreenPart[], frame: Frame): Rendered {
  const rendered = new Map<ScreenPart, Rendered>();
  let left = frame.rows;
  for (const part of parts.toSorted((one, other) => one.rank - other.rank)) {
    if (left <= 0) break;
    const { rows, cursor } = part.view.render({ ...frame, rows: left });
    const kept = rows.length > left ? rows.slice(rows.length - left) : rows;
    const cut = rows.length - kept.length;
    rendered.set(part, {
      rows: kept,
      ...(cursor && cursor.row >= cut ? { cursor: { ...cursor, row: cursor.row - cut } } : {}),
    });
    left -= kept.length;
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
