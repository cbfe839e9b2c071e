import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { clean } from "./clean.ts";
import { fit, width, wrap } from "./rows.ts";

const RED = "\x1b[31m";
const BOLD = "\x1b[1m";
const LINK = "\x1b]8;;https://example.com\x1b\\";

test.each([
  ["", 10, [""]],
  ["one two three", 8, ["one two ", "three"]],
  ["exactly ten", 7, ["exactly", "ten"]],
  ["unbreakable", 4, ["unbr", "eaka", "ble"]],
  ["  kept indent", 10, ["  kept ", "indent"]],
  ["    deep-word-of-it", 8, ["    deep", "-word-of", "-it"]],
  ["a\n\nb", 5, ["a", "", "b"]],
  ["漢字漢字", 5, ["漢字", "漢字"]],
  ["漢", 1, ["\ufffd"]],
  ["a\tb", 10, ["a   b"]],
  ["é👨‍👩‍👧é", 2, ["é", "👨‍👩‍👧", "é"]],
  ["🇩🇪🇫🇷", 3, ["🇩🇪", "🇫🇷"]],
  [`${RED}aaa bbb\x1b[39m`, 4, [`${RED}aaa \x1b[39m`, `${RED}bbb\x1b[39m`]],
  [`${BOLD}${RED}abcdef\x1b[39m\x1b[22m`, 3, [`${BOLD}${RED}abc\x1b[39;22m`, "\x1b[1;31mdef\x1b[39m\x1b[22m"]],
  [`${LINK}ab cd\x1b]8;;\x1b\\`, 3, [`${LINK}ab \x1b]8;;\x1b\\`, `${LINK}cd\x1b]8;;\x1b\\`]],
  ["\x1b[38;5;9mab\ncd\x1b[0m", 9, ["\x1b[38;5;9mab\x1b[39m", "\x1b[38;5;9mcd\x1b[0m"]],
  ["x", 0, ["x"]],
] as const)("wrap(%j, %i)", (text, columns, expected) => {
  expect(wrap(text, columns)).toEqual([...expected]);
});

test.each([
  ["short", 10, "short"],
  ["too long", 5, "too …"],
  ["漢字漢字", 4, "漢…"],
  [`${RED}too long\x1b[39m`, 5, `${RED}too \x1b[39m…`],
  ["anything", 0, ""],
] as const)("fit(%j, %i)", (text, columns, expected) => {
  expect(fit(text, columns)).toBe(expected);
});

const PIECES = [
  "a",
  "word ",
  " ",
  "  ",
  "漢字",
  "é",
  "👍🏽",
  "👨‍👩‍👧",
  "🇩🇪",
  "\u200b",
  "שלום ",
  "\x1b[31m",
  "x\ud83d",
  "\u202e",
  "e".repeat(30),
  "\n",
];
const STYLES = [
  RED,
  "\x1b[39m",
  BOLD,
  "\x1b[2m",
  "\x1b[22m",
  "\x1b[48;2;1;2;3m",
  "\x1b[49m",
  LINK,
  "\x1b]8;;\x1b\\",
  "\x1b[0m",
];

test("whatever the text, no row is too wide, nothing is lost, and styles end in their row", () => {
  const random = randomFrom(7);
  for (let round = 0; round < 3000; round++) {
    const columns = 1 + random(30);
    const painted = Array.from({ length: random(25) }, () =>
      random(4) === 0 ? STYLES[random(STYLES.length)]! : clean(PIECES[random(PIECES.length)]!),
    ).join("");
    const rows = wrap(painted, columns);
    for (const row of rows) {
      expect(width(row)).toBeLessThanOrEqual(columns);
      expect(wrap(`${row}!`, 200).at(-1)!.endsWith("!")).toBe(true);
    }
    if (columns === 1) continue;
    const letters = (text: string) => Bun.stripANSI(text).replace(/[ \n]/g, "");
    expect(letters(rows.join(""))).toBe(letters(painted));
    const spaces = (text: string) => Bun.stripANSI(text).split(" ").length - 1;
    expect(spaces(painted) - spaces(rows.join(""))).toBeLessThanOrEqual(rows.length);
  }
});

test.each([
  ["words", "lorem ipsum dolor "],
  ["one word", "x"],
  ["spaces", " "],
  ["wide characters", "漢"],
  ["combining marks", "e\u0301"],
  ["zero-width characters", "\u200b"],
  ["right-to-left text", "שלום "],
  ["colors", "\x1b[31mab\x1b[39m "],
  ["emoji", "👨‍👩‍👧 "],
])("wrap() takes ten times as long for ten times as many %s", (_, piece) => {
  expect(growth((size) => wrap(piece.repeat(size), 80), { from: 2_000, to: 20_000 })).toBeLessThan(30);
});

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
