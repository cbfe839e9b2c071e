import { expect, test } from "bun:test";
import { cutText } from "./cut-text.ts";

const x = "x".repeat(10);

test.each([
  ["text that fits", "short", 10, "short"],
  ["plain text", `${x}yz`, 10, x],
  ["a surrogate pair", `${x}😀`, 11, x],
  ["a character right after the limit", `${x}😀`, 10, x],
  ["a character right before the limit", `${x}😀y`, 12, `${x}😀`],
  ["a family of four", `${x}👨‍👩‍👧‍👦`, 13, x],
  ["a skin tone", `${x}👍🏽`, 12, x],
  ["the second of two flags", `${x}🇩🇪🇫🇷`, 16, `${x}🇩🇪`],
  ["a letter and its accent", `${x}e\u0301`, 11, x],
  ["a line break of two characters", `${x}\r\ny`, 11, x],
])("cutText() does not split %s", (_what, text, limit, cut) => {
  expect(cutText(text, limit)).toBe(cut);
});

test("cutText() keeps text with endless accents, and never leaves half of a pair", () => {
  const accents = "e".concat("\u0301".repeat(2_000));
  expect(cutText(accents, 1_000)).toBe(accents.slice(0, 1_000));
  const joined = "👨\u200d".repeat(500);
  expect(cutText(joined, 1_000).isWellFormed()).toBe(true);
  expect(cutText(joined, 999).length).toBeGreaterThan(990);
});
