// The sequences that switch things on in the terminal, and those that switch them off. It knows nothing else, so that the
// program can restore the terminal even if the screen cannot.

export interface ModeSequence {
  readonly on: string;
  readonly off: string;
}

/** In the order they are switched on. */
export const MODES: readonly ModeSequence[] = [
  { on: "\x1b[?2004h", off: "\x1b[?2004l" }, // pastes are marked
  { on: "\x1b[?1004h", off: "\x1b[?1004l" }, // focus is reported
  { on: "\x1b[?2031h", off: "\x1b[?2031l" }, // a change between light and dark is reported
];
/** Keys that the plain encoding cannot tell apart: kitty flags 1 (escape codes) and 4 (other layouts), or xterm's way. */
export const KITTY: ModeSequence = { on: "\x1b[>5u", off: "\x1b[<u" };
/** On top of that: kitty flags 2 (repeats and releases), 8 (for Enter too) and 16 (with the text that a key types). */
export const PRESSES: ModeSequence = { on: "\x1b[=26;2u", off: "\x1b[=26;3u" };
export const OTHER_KEYS: ModeSequence = { on: "\x1b[>4;1m", off: "\x1b[>4m" };

/** Everything else a program may leave behind: mouse, wrapping, synchronized output, cursor, margins, charset, colors. */
export const RESET = [
  "\x1b[?2026l",
  "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l",
  "\x1b[?7h",
  "\x1b7\x1b[r\x1b8",
  "\x1b(B\x0f",
  "\x1b[0m",
  "\x1b]8;;\x1b\\",
  "\x1b[?25h",
].join("");

/** All of it off, should the screen not do so itself; harmless if it has. */
export const RESET_ALL = [...MODES, KITTY, OTHER_KEYS].map(({ off }) => off).join("") + RESET;
