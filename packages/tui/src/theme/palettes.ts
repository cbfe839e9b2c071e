// The built-in palettes: which color and attributes each style has.

import type { Color } from "./colors.ts";
import type { StyleName } from "./theme.ts";

export interface Look {
  readonly color?: Color;
  readonly background?: Color;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
}

export type ThemePalette = Readonly<Record<StyleName, Look>>;

export const BUILT_IN_THEMES = [
  "dark",
  "light",
  "dark-daltonized",
  "light-daltonized",
  "dark-ansi",
  "light-ansi",
] as const;
export type BuiltInTheme = (typeof BUILT_IN_THEMES)[number];

/** What people choose from, by the name in the settings. */
export const THEME_TITLES: Readonly<Record<"auto" | BuiltInTheme, string>> = {
  auto: "Like the terminal",
  dark: "Dark",
  light: "Light",
  "dark-daltonized": "Dark, color-blind friendly",
  "light-daltonized": "Light, color-blind friendly",
  "dark-ansi": "Dark, 16 colors",
  "light-ansi": "Light, 16 colors",
};

/** Colors by what they are for. */
interface Hues {
  readonly dim: Look;
  readonly accent: Color;
  readonly success: Color;
  readonly warning: Color;
  readonly error: Color;
  readonly suggestion: Color;
  readonly border: Color;
  readonly shell: Color;
  readonly memory: Color;
  readonly plan: Color;
  readonly accept: Color;
  readonly added: Color;
  readonly removed: Color;
  readonly addedWord: Color;
  readonly removedWord: Color;
  readonly userRow?: Color;
  readonly code: Color;
  readonly link: Color;
  readonly keyword: Color;
  readonly string: Color;
  readonly number: Color;
  readonly name: Color;
  readonly type: Color;
}

const DARK: Hues = {
  dim: { color: "#8a8f98" },
  accent: "#5fb3d9",
  success: "#6cc070",
  warning: "#e0b050",
  error: "#f07178",
  suggestion: "#9db4ff",
  border: "#5c6370",
  shell: "#e58fb1",
  memory: "#b9a3ff",
  plan: "#56c2b4",
  accept: "#b79cf0",
  added: "#1f3d2a",
  removed: "#45262a",
  addedWord: "#2f6b45",
  removedWord: "#7d3640",
  userRow: "#2b2f36",
  code: "#9db4ff",
  link: "#6cb6ff",
  keyword: "#c792ea",
  string: "#a5d6a7",
  number: "#f5a97f",
  name: "#82aaff",
  type: "#e6c07b",
};

const LIGHT: Hues = {
  dim: { color: "#6b7280" },
  accent: "#0b6e99",
  success: "#1f7a34",
  warning: "#8a5a00",
  error: "#b3261e",
  suggestion: "#3b4fc4",
  border: "#9aa0a8",
  shell: "#b0306a",
  memory: "#6a3fc4",
  plan: "#00695f",
  accept: "#7036c4",
  added: "#dcf5e1",
  removed: "#fbe0e0",
  addedWord: "#a6e3b4",
  removedWord: "#f4b0b0",
  userRow: "#eef0f3",
  code: "#3b4fc4",
  link: "#0b5cad",
  keyword: "#7b2fb5",
  string: "#22702f",
  number: "#a14a00",
  name: "#1d4fb8",
  type: "#7a5600",
};

/** Blue and orange in the place of green and red, which many people cannot tell apart. */
const DARK_DALTONIZED: Hues = {
  ...DARK,
  success: "#5aa9ff",
  warning: "#ffd166",
  error: "#ff9a4d",
  added: "#17324f",
  removed: "#4a3015",
  addedWord: "#2563a8",
  removedWord: "#8f5a17",
  string: "#8ecbff",
};
const LIGHT_DALTONIZED: Hues = {
  ...LIGHT,
  success: "#00539c",
  warning: "#6d5500",
  error: "#a84300",
  added: "#dbeafe",
  removed: "#ffe8cc",
  addedWord: "#9cc7f7",
  removedWord: "#ffc380",
  string: "#00539c",
};

/** Only the terminal's own 16 colors, for people who chose those with care. */
const DARK_ANSI: Hues = {
  dim: { dim: true },
  accent: 14,
  success: 10,
  warning: 11,
  error: 9,
  suggestion: 12,
  border: 8,
  shell: 13,
  memory: 13,
  plan: 6,
  accept: 5,
  added: 2,
  removed: 1,
  addedWord: 10,
  removedWord: 9,
  code: 12,
  link: 12,
  keyword: 13,
  string: 10,
  number: 11,
  name: 12,
  type: 14,
};
const LIGHT_ANSI: Hues = {
  ...DARK_ANSI,
  accent: 6,
  success: 2,
  warning: 3,
  error: 1,
  suggestion: 4,
  border: 7,
  shell: 5,
  memory: 5,
  code: 4,
  link: 4,
  keyword: 5,
  string: 2,
  number: 3,
  name: 4,
  type: 6,
};

const HUES: Readonly<Record<BuiltInTheme, Hues>> = {
  dark: DARK,
  light: LIGHT,
  "dark-daltonized": DARK_DALTONIZED,
  "light-daltonized": LIGHT_DALTONIZED,
  "dark-ansi": DARK_ANSI,
  "light-ansi": LIGHT_ANSI,
};

export function builtInPalette(name: BuiltInTheme): ThemePalette {
  const hues = HUES[name];
  // The 16 colors are too strong for whole rows: there, the text has the color.
  const diff = (color: Color): Look => (typeof color === "number" ? { color } : { background: color });
  const word = (color: Color): Look =>
    typeof color === "number" ? { color, bold: true, underline: true } : { background: color };
  return {
    text: {},
    dim: hues.dim,
    bold: { bold: true },
    italic: { italic: true },
    strike: { strike: true },
    underline: { underline: true },
    accent: { color: hues.accent },
    success: { color: hues.success },
    warning: { color: hues.warning },
    error: { color: hues.error },
    suggestion: { color: hues.suggestion },
    user: hues.userRow === undefined ? { bold: true } : { background: hues.userRow },
    border: { color: hues.border },
    shell: { color: hues.shell },
    memory: { color: hues.memory },
    planMode: { color: hues.plan },
    acceptMode: { color: hues.accept },
    autoMode: { color: hues.warning },
    bypassMode: { color: hues.error },
    added: diff(hues.added),
    removed: diff(hues.removed),
    addedWord: word(hues.addedWord),
    removedWord: word(hues.removedWord),
    heading: { color: hues.accent, bold: true },
    code: { color: hues.code },
    link: { color: hues.link, underline: true },
    quote: { ...hues.dim, italic: true },
    keyword: { color: hues.keyword },
    string: { color: hues.string },
    number: { color: hues.number },
    comment: { ...hues.dim, italic: true },
    name: { color: hues.name },
    type: { color: hues.type },
  };
}
