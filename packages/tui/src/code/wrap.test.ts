import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import type { StyledText } from "./styled-text.ts";
import { wrapCode, wrapWords } from "./wrap.ts";

const piece = (text: string): StyledText => ({ text, styles: [] });
const textOf = (rows: readonly (readonly StyledText[])[]) => rows.map((row) => row.map(({ text }) => text).join(""));

test.each<[string, string, string[]]>([
  ["at spaces, which are dropped", "one two  three", ["one two", "three"]],
  ["exactly at the end of a row", "sixteen twelve", ["sixteen", "twelve"]],
  ["inside words that are longer than a row", "a sesquipedalian b", ["a", "sesquipe", "dalian b"]],
  ["at line breaks", "a\n\nb\n", ["a", "", "b", ""]],
  ["not in front of a line's first word", "  one two", ["  one", "two"]],
  ["after spaces without a word that fits behind them", "      three", ["three"]],
  ["and spaces at the end are dropped", "one   ", ["one"]],
  ["of nothing", "", [""]],
  ["of spaces", "   ", [""]],
])("wrapWords() breaks %s", (_, text, rows) => {
  expect(textOf(wrapWords([piece(text)], 8))).toEqual(rows);
});

test("wrapWords() cuts rows out of the pieces, and wraps every text as it does with characters of another width", () => {
  // The same numbers in each run.
  let state = 1;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  const character = () => (random(3) === 0 ? " " : random(20) === 0 ? "\n" : "abc"[random(3)]!);
  for (let round = 0; round < 2_000; round++) {
    const pieces = Array.from({ length: random(5) }, () =>
      piece(Array.from({ length: random(25) }, character).join("")),
    );
    const columns = 1 + random(14);
    const rows = wrapWords(pieces, columns);
    const beside = wrapWords([...pieces, piece("\né")], columns);
    expect({ columns, rows }).toEqual({ columns, rows: beside.slice(0, -1) });
  }
});

test("wrapCode() breaks anywhere and keeps all spaces", () => {
  const pieces = [piece("  if"), piece(""), piece(" (a) "), piece("b;")];
  expect(textOf(wrapCode(pieces, 80))).toEqual(["  if (a) b;"]);
  expect(textOf(wrapCode(pieces, 5))).toEqual(["  if ", "(a) b", ";"]);
  expect(textOf(wrapCode([], 5))).toEqual([""]);
  expect(textOf(wrapCode([piece("中中a")], 4))).toEqual(["中中", "a"]);
});

test.each(["word ", "x", "a\n", " "])("wrapping text made of %j costs what it is long", (part) => {
  const wrapped = (size: number) => void wrapWords([piece(part.repeat(Math.ceil(size / part.length)))], 80);
  expect(growth(wrapped, { from: 2_000, to: 20_000 })).toBeLessThan(40);
});
