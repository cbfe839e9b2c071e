import { expect, test } from "bun:test";
import { backgroundFromEnv, backgroundFromReply } from "./background.ts";
import { background, colorCount, foreground } from "./colors.ts";
import { makeTheme } from "./make-theme.ts";
import { BUILT_IN_THEMES } from "./palettes.ts";

const TRUE_COLOR = { TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "en_US.UTF-8" };
const ALL = 16_777_216;

test.each([
  [{ TERM: "xterm" }, 16],
  [{ TERM: "xterm-256color" }, 256],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, ALL],
  [{ TERM: "xterm-kitty" }, ALL],
  [{ TERM: "screen-256color", TERM_PROGRAM: "iTerm.app", TMUX: "x" }, 256],
  [{ TERM: "dumb", COLORTERM: "truecolor" }, 0],
  [{ TERM: "xterm", NO_COLOR: "1" }, 0],
  [{ TERM: "xterm", NO_COLOR: "" }, 16],
  [{ TERM: "dumb", FORCE_COLOR: "3", NO_COLOR: "1" }, ALL],
  [{ TERM: "xterm-256color", FORCE_COLOR: "0" }, 0],
  [{ TERM: "dumb", FORCE_COLOR: "1" }, 16],
  [{ FORCE_COLOR: "2" }, 256],
] as const)("colorCount(%j)", (env, expected) => {
  expect(colorCount(env)).toBe(expected);
});

test.each([
  ["#ff0000", ALL, "38;2;255;0;0"],
  ["#f00", ALL, "38;2;255;0;0"],
  ["#ff0000", 256, "38;5;196"],
  ["#808080", 256, "38;5;244"],
  ["#1f3d2a", 256, "38;5;22"],
  ["#45262a", 256, "38;5;52"],
  ["#d787d7", 256, "38;5;176"],
  ["#ff0000", 16, "91"],
  ["#ff0000", 0, undefined],
  [1, 256, "31"],
  [9, ALL, "91"],
  [196, 256, "38;5;196"],
  [196, 16, "91"],
] as const)("foreground(%p, %p)", (color, colors, expected) => {
  expect(foreground(color, colors)).toBe(expected);
});

test("background() uses the parameters for what is behind the text", () => {
  expect([background("#0a0b0c", ALL), background(1, 16), background(9, 16)]).toEqual(["48;2;10;11;12", "41", "101"]);
});

test("a style inside a style returns to the one around it", () => {
  const { paint } = makeTheme({ settings: { theme: "dark-ansi" }, env: TRUE_COLOR });
  const ESC = "\x1b[";
  expect(paint("error", `a${paint("success", "b")}c`)).toBe(`${ESC}91ma${ESC}92mb${ESC}39m${ESC}91mc${ESC}39m`);
  expect(paint("dim", `a${paint("bold", "b")}c`)).toBe(`${ESC}2ma${ESC}1mb${ESC}22m${ESC}2mc${ESC}22m`);
  expect(paint("bold", `a${paint("error", "b")}c`)).toBe(`${ESC}1ma${ESC}91mb${ESC}39mc${ESC}22m`);
  expect(paint("text", "x")).toBe("x");
  expect(paint("error", "")).toBe("");
});

test.each(BUILT_IN_THEMES)("every style of %s ends as it began, and does something but for plain text", (name) => {
  for (const env of [TRUE_COLOR, { TERM: "xterm-256color" }, { TERM: "xterm" }]) {
    const theme = makeTheme({ settings: { theme: name }, env });
    expect(theme.name).toBe(name);
    for (const style of ["accent", "error", "added", "removedWord", "code", "comment", "user", "planMode"] as const) {
      const painted = theme.paint(style, "x");
      expect(painted).not.toBe("x");
      expect(Bun.stripANSI(painted)).toBe("x");
    }
  }
});

test("NO_COLOR leaves bold and the like, and no colors", () => {
  const { paint, colors } = makeTheme({ settings: { theme: "dark" }, env: { ...TRUE_COLOR, NO_COLOR: "1" } });
  expect([colors, paint("error", "x"), paint("heading", "x")]).toEqual([0, "x", "\x1b[1mx\x1b[22m"]);
});

test.each([
  [{ theme: "auto" }, {}, "light", "light"],
  [{ theme: "auto" }, { COLORFGBG: "0;15" }, undefined, "light"],
  [{ theme: "auto" }, { COLORFGBG: "15;0" }, "light", "light"],
  [{ theme: "auto" }, {}, undefined, "dark"],
  [{ theme: "dark" }, {}, "light", "dark"],
  [{ theme: "light-daltonized" }, {}, "dark", "light-daltonized"],
  [{}, {}, "light", "light"],
  [{ theme: "unknown" }, {}, undefined, "dark"],
] as const)("the theme of %j with %j and a %p background is %s", (settings, env, background, expected) => {
  expect(makeTheme({ settings, env: { ...TRUE_COLOR, ...env }, background }).name).toBe(expected);
});

test("a theme of the user changes what it names and ignores what no one knows", () => {
  const custom = {
    mine: JSON.stringify({
      name: "Mine",
      base: "light",
      overrides: {
        error: "#010203",
        claude: "rgb(4, 5, 6)",
        diffAdded: "ansi256(22)",
        warning: "ansi:redBright",
        success: "no color",
        unknown: "#ffffff",
      },
    }),
    broken: "{",
  };
  const theme = makeTheme({ settings: { theme: "custom:mine" }, env: TRUE_COLOR, custom });
  const light = makeTheme({ settings: { theme: "light" }, env: TRUE_COLOR });
  expect(theme.name).toBe("custom:mine");
  expect(theme.paint("error", "x")).toBe("\x1b[38;2;1;2;3mx\x1b[39m");
  expect(theme.paint("accent", "x")).toBe("\x1b[38;2;4;5;6mx\x1b[39m");
  expect(theme.paint("added", "x")).toBe("\x1b[48;5;22mx\x1b[49m");
  expect(theme.paint("warning", "x")).toBe("\x1b[91mx\x1b[39m");
  expect(theme.paint("success", "x")).toBe(light.paint("success", "x"));
  expect(makeTheme({ settings: { theme: "broken" }, env: TRUE_COLOR, custom }).name).toBe("dark");
});

test.each([
  [{ TERM_PROGRAM: "iTerm.app" }, true],
  [{ TERM: "xterm-kitty" }, true],
  [{ VTE_VERSION: "7600" }, true],
  [{ TERM_PROGRAM: "iTerm.app", TMUX: "x" }, false],
  [{ TERM: "xterm-256color" }, false],
  [{ FORCE_HYPERLINK: "1" }, true],
  [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
] as const)("links with %j: %p", (env, expected) => {
  const { hyperlinks, link } = makeTheme({ settings: {}, env });
  expect(hyperlinks).toBe(expected);
  expect(link("https://example.com/a", "text").includes("\x1b]8;")).toBe(expected);
  expect(Bun.stripANSI(link("https://example.com/a", "text"))).toBe("text");
});

test("an address that would end the sequence is no link", () => {
  const { link } = makeTheme({ settings: {}, env: { FORCE_HYPERLINK: "1" } });
  expect(link("https://example.com/\x1b]0;x\x07", "text")).toBe("text");
  expect(link("javascript:alert(1)", "text")).toBe("text");
});

test.each([
  [{ LANG: "en_US.UTF-8" }, false],
  [{ LANG: "C" }, true],
  [{ LANG: "en_US.UTF-8", LC_ALL: "POSIX" }, true],
  [{ TERM: "xterm" }, false],
  [{ TERM: "linux" }, true],
] as const)("only ASCII signs with %j: %p", (env, expected) => {
  expect(makeTheme({ settings: {}, env }).ascii).toBe(expected);
});

test("reduced motion is a setting, and part of the accessibility mode", () => {
  const motion = (settings: object, env = {}) => makeTheme({ settings: { ...settings }, env }).reducedMotion;
  expect([motion({}), motion({ prefersReducedMotion: true }), motion({}, { CLAUDE_CODE_ACCESSIBILITY: "1" })]).toEqual([
    false,
    true,
    true,
  ]);
});

test.each([
  ["background", "rgb:0000/0000/0000", "dark"],
  ["background", "11;rgb:ffff/ffff/ffff", "light"],
  ["background", "rgb:fd/f6/e3", "light"],
  ["background", "rgba:1e1e/1e1e/2e2e/ffff", "dark"],
  ["background", "nonsense", undefined],
  ["color-scheme", "?997;1n", "dark"],
  ["color-scheme", "997;2", "light"],
  ["version", "2", undefined],
] as const)("backgroundFromReply(%s %s)", (of, text, expected) => {
  expect(backgroundFromReply({ kind: "reply", of, text })).toBe(expected);
});

test.each([
  ["15;0", "dark"],
  ["0;15", "light"],
  ["0;default;15", "light"],
  ["default;default", undefined],
] as const)("backgroundFromEnv(%s)", (COLORFGBG, expected) => {
  expect(backgroundFromEnv({ COLORFGBG })).toBe(expected);
});
