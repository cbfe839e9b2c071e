import { expect, test } from "bun:test";
import { escapeForTerminal } from "./terminal-text.ts";

test.each([
  ["plain äöü 漢字 👩‍👧 नमस्ते می‌خواهم\n\tx", "plain äöü 漢字 👩‍👧 नमस्ते می‌خواهم\n\tx"],
  ["\u001b]52;c;eA==\u0007", "\\u001b]52;c;eA==\\u0007"],
  ["a\u009b31mb\u0085c\u007f", "a\\u009b31mb\\u0085c\\u007f"],
  ["ok\rno", "ok\\u000dno"],
  ["one\r\ntwo\r\n", "one\ntwo\n"],
  ["a\u202eb\u2066c\u200fd\u061ce\u2028f\ufeff", "a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028f\\ufeff"],
  ["\u{e0041}", "\\udb40\\udc41"],
  ["\ud800", "\ufffd"],
])("escapeForTerminal(%j)", (text, wanted) => {
  expect(escapeForTerminal(text)).toBe(wanted);
});

test("JSON has the same value afterwards", () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => unit).filter((unit) => unit < 0xd800 || unit > 0xdfff);
  const value = { [String.fromCharCode(...units.slice(0, 300))]: units.map((unit) => String.fromCharCode(unit)) };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
    expect(JSON.parse(escapeForTerminal(text))).toEqual(value);
});
