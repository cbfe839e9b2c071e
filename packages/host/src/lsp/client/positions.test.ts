import { expect, test } from "bun:test";
import { lineAt, lineCount, toServer, wordAt } from "./positions.ts";

test("lineAt() leaves out the line end, and there is nothing past the last line", () => {
  expect([0, 1, 2, 3].map((line) => lineAt("a\r\nb\n", line))).toEqual(["a", "b", "", undefined]);
  expect([lineCount(""), lineCount("a"), lineCount("a\nb\n")]).toEqual([1, 1, 3]);
});

test.each([
  ["utf-16", 3],
  ["utf-8", 6],
  ["utf-32", 2],
] as const)("toServer() counts in %s", (encoding, character) => {
  expect(toServer("ä𝒳 x", { line: 7, character: 3 }, encoding)).toEqual({ line: 7, character });
  expect(toServer("a", { line: 0, character: 99 }, encoding)).toEqual({ line: 0, character: 1 });
});

test.each([
  ["let total = 1", 4, "total"],
  ["let total = 1", 9, "total"],
  ["let total = 1", 10, ""],
  ["  ", 1, ""],
  ["größe$", 2, "größe$"],
  ["a", 5, ""],
] as const)("wordAt(%j, %d) is %j", (line, character, word) => {
  expect(wordAt(line, character)).toBe(word);
});
