// Themes for tests of what is painted.

import type { Theme } from "../theme/theme.ts";

const base = { name: "test", reducedMotion: true, ascii: false } as const;

/** Paints nothing: the rows are what a reader sees. */
export const plainTheme: Theme = {
  ...base,
  colors: 16,
  hyperlinks: false,
  paint: (_, text) => text,
  link: (_, text) => text,
};

/** Paints with real sequences. */
export const colorTheme: Theme = {
  ...base,
  colors: 256,
  hyperlinks: true,
  paint: (style, text) => `\u001b[38;5;${style.length}m${text}\u001b[39m`,
  link: (url, text) => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`,
};

/** Shows the styles as signs: `bold(text)`. */
export const namedTheme: Theme = {
  ...base,
  colors: 256,
  hyperlinks: true,
  paint: (style, text) => `${style}(${text})`,
  link: (url, text) => `<${url}>${text}</>`,
};
