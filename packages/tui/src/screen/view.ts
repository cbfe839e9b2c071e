// What everything on the screen has in common: it renders rows for a frame, and a panel takes keys until it is done.

import type { Theme } from "../theme/theme.ts";
import type { InputEvent } from "../input/event.ts";

/** What rows are rendered for. */
export interface Frame {
  readonly columns: number;
  /** How many rows it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
  /** Milliseconds; for elapsed times and animation. */
  readonly now: number;
}

export interface Rendered {
  /**
   * No row is wider than the frame. The only escape sequences are colors, styles and hyperlinks, made by the theme; a row
   * ends in the same style it started in. Text from elsewhere went through `clean`.
   */
  readonly rows: readonly string[];
  /** Where the next character would appear. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface View {
  render(frame: Frame): Rendered;
}

export interface Done<T> {
  readonly value: T;
}

/** A dialog, picker or list in the place of the prompt. Pure: what it did not return has not happened. */
export interface Panel<T> extends View {
  /** Takes a key or a paste. Returns the answer once there is one. */
  take(event: InputEvent, now: number): Done<T> | undefined;
  /** Milliseconds until it looks different by itself; absent if it does not. */
  nextChange?(now: number): number | undefined;
}
