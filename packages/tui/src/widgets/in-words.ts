// Frames for screen readers. They are read without rules and frames, and a bar that is a frame would be lost: the signs
// are ASCII there, so that text from elsewhere keeps its bar.

import type { Frame } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";

/** One for each theme, because rows are kept by the theme they were made for. */
const asciiThemes = new WeakMap<Theme, Theme>();

export function inWords(frame: Frame, plain = false): Frame {
  const { theme } = frame;
  if (!plain || theme.spoken) return frame;
  let ascii = asciiThemes.get(theme);
  if (!ascii) asciiThemes.set(theme, (ascii = { ...theme, ascii: true, spoken: true }));
  return { ...frame, theme: ascii };
}
