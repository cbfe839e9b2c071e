// Makes the theme from the settings, the environment, and what the terminal said about its background.

import { switchIn, isVariableOn } from "@keelson/protocol";
import { background as backgroundOf, colorCount, foreground, type ColorCount } from "./colors.ts";
import { backgroundFromEnv, type Background } from "./background.ts";
import { parseCustomTheme } from "./custom.ts";
import { BUILT_IN_THEMES, builtInPalette, type Look, type ThemePalette } from "./palettes.ts";
import type { StyleName, Theme } from "./theme.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ThemeOptions {
  /** `theme`, `prefersReducedMotion`, `syntaxHighlightingDisabled`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Env;
  /** What the terminal said. */
  readonly background?: Background | undefined;
  /** The texts of `~/.claude/themes/*.json`, by file name without the ending. */
  readonly custom?: Readonly<Record<string, string>>;
}

export function makeTheme({ settings, env, background, custom = {} }: ThemeOptions): Theme {
  const colors = colorCount(env);
  const { name, palette } = choosePalette(settings.theme, background ?? backgroundFromEnv(env) ?? "dark", custom);
  const codes = new Map<StyleName, Codes>();
  const isPlain = (style: StyleName) => settings.syntaxHighlightingDisabled === true && SYNTAX.has(style);
  for (const style of Object.keys(palette) as StyleName[]) {
    codes.set(style, codesOf(isPlain(style) ? {} : palette[style], colors));
  }
  const hyperlinks = showsLinks(env);
  const paint = (style: StyleName, text: string) => painted(codes.get(style)!, text);
  return {
    name,
    colors,
    hyperlinks,
    reducedMotion: settings.prefersReducedMotion === true || isVariableOn(env.CLAUDE_CODE_ACCESSIBILITY),
    ascii: !isUtf8(env),
    paint,
    link: (url, text) => {
      if (!hyperlinks || !isSafeUrl(url)) return text;
      // Parts of one link that was wrapped are marked together.
      return `\x1b]8;id=${Bun.hash.crc32(url).toString(36)};${url}\x1b\\${text}\x1b]8;;\x1b\\`;
    },
  };
}

/** The styles that only code has. */
const SYNTAX: ReadonlySet<StyleName> = new Set(["keyword", "string", "number", "comment", "name", "type"]);

function choosePalette(
  wanted: unknown,
  background: Background,
  custom: Readonly<Record<string, string>>,
): { readonly name: string; readonly palette: ThemePalette } {
  if (wanted === "auto") return { name: background, palette: builtInPalette(background) };
  const builtIn = BUILT_IN_THEMES.find((name) => name === wanted);
  if (builtIn) return { name: builtIn, palette: builtInPalette(builtIn) };
  if (typeof wanted === "string") {
    const file = wanted.replace(/^custom:/, "");
    const text = Object.hasOwn(custom, file) ? custom[file] : undefined;
    const own = text === undefined ? undefined : parseCustomTheme(text, file);
    if (own) return { name: wanted, palette: own.palette };
  }
  // Nothing was chosen: what the terminal says is better than a guess.
  return { name: background, palette: builtInPalette(background) };
}

interface Codes {
  readonly open: string;
  readonly close: string;
  /** What ends parts of this style inside the text, and what begins them again. */
  readonly again: readonly (readonly [end: string, begin: string])[];
}

function codesOf(look: Look, colors: ColorCount): Codes {
  const parts: [begin: string, end: number][] = [];
  const add = (begin: string | undefined, end: number) => begin !== undefined && parts.push([begin, end]);
  add(look.bold ? "1" : undefined, 22);
  add(look.dim ? "2" : undefined, 22);
  add(look.italic ? "3" : undefined, 23);
  add(look.underline ? "4" : undefined, 24);
  add(look.strike ? "9" : undefined, 29);
  add(look.color === undefined ? undefined : foreground(look.color, colors), 39);
  add(look.background === undefined ? undefined : backgroundOf(look.background, colors), 49);
  return {
    open: parts.map(([begin]) => `\x1b[${begin}m`).join(""),
    close: parts
      .toReversed()
      .map(([, end]) => `\x1b[${end}m`)
      .join(""),
    again: parts.map(([begin, end]) => [`\x1b[${end}m`, `\x1b[${begin}m`]),
  };
}

function painted({ open, close, again }: Codes, text: string): string {
  if (open === "" || text === "") return text;
  let inner = text;
  if (text.includes("\x1b[")) {
    // Bold and dim end with the same code, so it stays and this style is begun again after it.
    for (const [end, begin] of again) inner = inner.replaceAll(end, end + begin);
  }
  return open + inner + close;
}

/** Terminals that are known to show links as links. Others may print the address, or nothing. */
function showsLinks(env: Env): boolean {
  if (env.FORCE_HYPERLINK !== undefined) return switchIn(env.FORCE_HYPERLINK) !== false;
  if (env.TERM === "dumb") return false;
  if (env.TMUX || /^(?:screen|tmux)/.test(env.TERM ?? "")) return false;
  if (/^(?:iterm\.app|wezterm|vscode|ghostty|hyper|tabby|rio|warpterminal|zed)$/i.test(env.TERM_PROGRAM ?? ""))
    return true;
  if (/^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm)/.test(env.TERM ?? "")) return true;
  return Boolean(env.WT_SESSION || env.KONSOLE_VERSION || Number(env.VTE_VERSION) >= 5000 || env.DOMTERM);
}

/** Nothing that would end the sequence, and only what a click should open. */
function isSafeUrl(url: string): boolean {
  return /^(?:https?|file|mailto|ftp):[\x21-\x7e]+$/i.test(url);
}

/** No locale says UTF-8: then the terminal shows other bytes. Without any locale, modern terminals are UTF-8. */
function isUtf8(env: Env): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (!locale) return env.TERM !== "linux" && env.TERM !== "dumb";
  return /utf-?8/i.test(locale);
}
