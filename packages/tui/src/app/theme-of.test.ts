import { expect, test } from "bun:test";
import { offeredThemes, themeOf } from "./theme-of.ts";

const env = { TERM: "xterm-256color", COLORTERM: "truecolor" };
const reads: string[] = [];
const host = {
  env,
  themes: () => {
    reads.push("themes");
    return { sea: JSON.stringify({ name: "Sea", base: "light", overrides: { error: "#010203" } }) };
  },
};

test("a theme of the user has its own colors", () => {
  const red = (theme: string) => themeOf(host, { theme }, "dark").paint("error", "x");
  expect(red("custom:sea")).toContain("38;2;1;2;3");
  expect(red("sea")).toBe(red("custom:sea"));
  expect(red("custom:gone")).toBe(red("dark"));
});

test("the user's files are read only for a theme that is not built in", () => {
  reads.length = 0;
  for (const theme of ["auto", "light", "dark-ansi"]) themeOf(host, { theme }, undefined);
  expect(reads).toEqual([]);
});

test("the user's themes are offered after the others", () => {
  expect(offeredThemes(host).at(-1)).toEqual({ name: "custom:sea", label: "Sea" });
  const named = { themes: () => ({ sea: JSON.stringify({ name: "Deep sea\u001b[2J", base: "dark" }), bad: "{" }) };
  expect(offeredThemes(named).slice(-2)).toEqual([
    { name: "custom:sea", label: expect.stringMatching(/^Deep sea[^\u001b]*$/) },
    { name: "custom:bad", label: "bad" },
  ]);
  expect(offeredThemes(host)[0]).toEqual({ name: "auto", label: "Like the terminal" });
});
