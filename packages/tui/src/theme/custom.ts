// A theme of the user: `{ name, base, overrides }`, where `overrides` gives colors to names. Names and colors that are
// not known are ignored.

import { parseHex, type Color } from "./colors.ts";
import { BUILT_IN_THEMES, builtInPalette, type BuiltInTheme, type Look, type ThemePalette } from "./palettes.ts";
import type { StyleName } from "./theme.ts";

/** Names of the reference that differ from ours, and what they color. */
const TOKENS: Readonly<Record<string, readonly StyleName[]>> = {
  claude: ["accent", "heading"],
  permission: ["suggestion", "code"],
  inactive: ["dim"],
  subtle: ["dim", "comment", "quote"],
  promptBorder: ["border"],
  bashBorder: ["shell"],
  remember: ["memory"],
  autoAccept: ["acceptMode"],
  userMessageBackground: ["user"],
  diffAdded: ["added"],
  diffRemoved: ["removed"],
  diffAddedWord: ["addedWord"],
  diffRemovedWord: ["removedWord"],
};

/** Styles that color what is behind the text. */
const BACKGROUNDS: ReadonlySet<string> = new Set(["user", "added", "removed", "addedWord", "removedWord"]);

export interface CustomTheme {
  readonly name: string;
  readonly base: BuiltInTheme;
  readonly palette: ThemePalette;
}

/** Undefined if the text is no theme. */
export function parseCustomTheme(text: string, fileName: string): CustomTheme | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { name, base, overrides } = value as Record<string, unknown>;
  const known = BUILT_IN_THEMES.find((theme) => theme === base) ?? "dark";
  const palette: Record<StyleName, Look> = { ...builtInPalette(known) };
  for (const [token, written] of Object.entries(typeof overrides === "object" && overrides !== null ? overrides : {})) {
    const color = typeof written === "string" ? parseColor(written) : undefined;
    if (color === undefined) continue;
    const target = TOKENS[token] ?? (Object.hasOwn(palette, token) ? [token as StyleName] : []);
    for (const style of target) {
      const look = palette[style];
      palette[style] = BACKGROUNDS.has(style) ? { ...look, background: color } : { ...look, color };
    }
  }
  return { name: typeof name === "string" && name !== "" ? name : fileName, base: known, palette };
}

const ANSI_NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** `#rrggbb`, `#rgb`, `rgb(1, 2, 3)`, `ansi256(9)`, `ansi:redBright`. */
function parseColor(text: string): Color | undefined {
  const written = text.trim();
  if (parseHex(written)) return written as Color;
  const rgb = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(written);
  if (rgb) {
    const hex = rgb.slice(1).map((part) => Math.min(255, Number(part)).toString(16).padStart(2, "0"));
    return `#${hex.join("")}`;
  }
  const indexed = /^ansi256\(\s*(\d{1,3})\s*\)$/.exec(written);
  if (indexed) return Number(indexed[1]) < 256 ? Number(indexed[1]) : undefined;
  const [, named = ""] = /^ansi:(\w+)$/.exec(written) ?? [];
  const bright = named.endsWith("Bright");
  const at = ANSI_NAMES.indexOf(bright ? named.slice(0, -"Bright".length) : named);
  return at < 0 ? undefined : at + (bright ? 8 : 0);
}
