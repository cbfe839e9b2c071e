import { expect, test } from "bun:test";
import { events, plainTheme } from "./panel.test-support.ts";
import { TextField } from "./text-field.ts";

function typed(script: string, text = "", options = {}): string {
  const field = new TextField(text, options);
  for (const event of events(script)) field.take(event);
  return field.text;
}

test.each<[string, string, string, string]>([
  ["typing", "'ab c'", "", "ab c"],
  ["in the middle", "left 'x'", "ab", "axb"],
  ["start and end", "home '<' end '>'", "ab", "<ab>"],
  ["an emoji is one character", "backspace", "a👍🏽", "a"],
  ["words", "alt+backspace", "one two", "one "],
  ["cut and yank", "ctrl+u ctrl+y ctrl+y", "ab", "abab"],
  ["undo", "ctrl+u ctrl+_", "ab", "ab"],
  ["a paste of several lines", "<a\r\nb\nc>", "", "a b c"],
  ["Enter does nothing", "enter shift+enter ctrl+j", "ab", "ab"],
])("%s", (_, script, text, expected) => {
  expect(typed(script, text)).toBe(expected);
});

test("with several rows, Shift+Enter and a paste break lines", () => {
  expect(typed("shift+enter 'b' alt+enter 'c' ctrl+j 'd' enter <e\nf>", "a", { multiline: true })).toBe(
    "a\nb\nc\nde\nf",
  );
});

test.each<[string, number, string[], { row: number; column: number }]>([
  ["", 1, ["write her…"], { row: 0, column: 0 }],
  ["abc", 1, ["abc"], { row: 0, column: 3 }],
  ["abcdefghijklm", 1, ["klm"], { row: 0, column: 3 }],
  ["abcdefghijklm", 3, ["abcdefghij", "klm"], { row: 1, column: 3 }],
  ["a\u001b[2J", 1, ["a␛[2J"], { row: 0, column: 5 }],
  ["漢字", 1, ["漢字"], { row: 0, column: 4 }],
])("%j in %p rows", (text, rows, shown, cursor) => {
  const look = { columns: 11, theme: plainTheme, rows, placeholder: "write here please" };
  expect(new TextField(text).render(look)).toEqual({ rows: shown, cursor });
});
