// A theme for tests that paints nothing: the rows are what a reader sees.

import type { Theme } from "./theme.ts";

export const plainTheme: Theme = {
  name: "plain",
  colors: 0,
  hyperlinks: false,
  reducedMotion: true,
  ascii: false,
  paint: (_style, text) => text,
  link: (_url, text) => text,
};
