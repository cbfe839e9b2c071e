// Horizontal bars.

import { sign } from "../../blocks/look.ts";
import type { Theme } from "../../theme/theme.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of `cells` columns, filled by `share` (0 to 1) in steps of an eighth. Something is never shown as nothing. */
export function barOf(share: number, cells: number, theme: Theme): string {
  const clamped = Math.max(0, Math.min(1, share));
  if (theme.ascii) {
    const full = Math.max(clamped > 0 ? 1 : 0, Math.round(clamped * cells));
    return sign("full", theme).repeat(full) + sign("empty", theme).repeat(cells - full);
  }
  const eighths = Math.max(clamped > 0 ? 1 : 0, Math.round(clamped * cells * 8));
  const full = Math.floor(eighths / 8);
  const part = EIGHTHS[eighths % 8]!;
  return sign("full", theme).repeat(full) + part + " ".repeat(cells - full - (part === "" ? 0 : 1));
}
