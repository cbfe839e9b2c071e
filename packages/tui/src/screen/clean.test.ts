import { expect, test } from "bun:test";
import { clean, cleanRow } from "./clean.ts";

test.each([
  ["plain text\n\twith a tab", "plain text\n\twith a tab"],
  ["\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
  ["\x1b]0;title\x07", "␛]0;title␇"],
  ["\x1bP1$r\x1b\\", "␛P1$r␛\\"],
  ["\x9b31m", "<009B>31m"],
  ["a\r\nb\rc", "a\nb␍c"],
  ["\x00\x08\x7f", "␀␈␡"],
  ["safe\u202egnp.exe", "safe<202E>gnp.exe"],
  ["\u2066x\u2069\u200f\u061c", "<2066>x<2069><200F><061C>"],
  ["a\u2028b\ufeff", "a<2028>b<FEFF>"],
  ["\u{e0041}\u{e0100}", "<E0041><E0100>"],
  ["lone \ud800 half", "lone \ufffd half"],
  ["שלום 漢字 é 👨‍👩‍👧 ❤️", "שלום 漢字 é 👨‍👩‍👧 ❤️"],
  [`e${"\u0301".repeat(1000)}!`, `e${"\u0301".repeat(16)}<+984 marks>!`],
  ["\u200b".repeat(20), `${"\u200b".repeat(16)}<+4 marks>`],
])("clean(%j)", (text, expected) => {
  expect(clean(text)).toBe(expected);
  // The same text again: nothing is remembered between calls.
  expect(clean(text)).toBe(expected);
});

test("cleanRow() makes one row", () => {
  expect(cleanRow("a\n\tb\r\n")).toBe("a⏎  b⏎");
});

test("no character that a terminal obeys is left, whatever the text", () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).join("");
  // oxlint-disable-next-line no-control-regex
  expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(clean(all))).toBe(false);
  expect(Bun.stripANSI(clean(all))).toBe(clean(all));
});
