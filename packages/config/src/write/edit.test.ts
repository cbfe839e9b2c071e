import { expect, test } from "bun:test";
import { appendAt, isEditable, removeAt, removeKey, setAt } from "./edit.ts";

type Row = readonly [what: string, before: string, edit: (text: string) => string, after: string];

const add = (item: string) => (text: string) => appendAt(text, ["a"], item);
const remove = (index: number) => (text: string) => removeAt(text, ["a"], index);
const drop = (name: string) => (text: string) => removeKey(text, ["a"], name);
const set =
  (value: unknown, ...path: string[]) =>
  (text: string) =>
    setAt(text, path, value);

const ROWS: readonly Row[] = [
  ["into an empty object", "{}\n", set(1, "a"), '{\n  "a": 1\n}\n'],
  ["into an empty object on two lines", "{\n}\n", set(1, "a"), '{\n  "a": 1\n}\n'],
  ["into a new object", "{}", set([1], "a", "b"), '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
  ["a scalar in place", '{ "a": 1, "b": 2 } // x', set(3, "a"), '{ "a": 3, "b": 2 } // x'],
  ["a list on one line", '{ "a": ["x"] }', set(["y", "z"], "a"), '{ "a": ["y", "z"] }'],
  ["beside others on one line", '{ "p": { "a": 1 } }', set(["x"], "p", "b"), '{ "p": { "a": 1, "b": ["x"] } }'],
  ["after a one-line object", '{\n  "p": { "a": [1] }\n}', set(2, "b"), '{\n  "p": { "a": [1] },\n  "b": 2\n}'],
  ["after a comment", '{\n\t"a": 1 // one\n}', set(2, "b"), '{\n\t"a": 1, // one\n\t"b": 2\n}'],
  ["after a trailing comma", '{\n  "a": 1,\n}', set(2, "b"), '{\n  "a": 1,\n  "b": 2,\n}'],
  [
    "after a mark and with other line ends",
    '\ufeff{\r\n    "a": 1\r\n}',
    set(2, "b"),
    '\ufeff{\r\n    "a": 1,\r\n    "b": 2\r\n}',
  ],
  ["of two names the last", '{ "a": 1, "a": 2 }', set(3, "a"), '{ "a": 1, "a": 3 }'],
  ["a key in between", '{ "a": { "x": 1, "y": 2, "z": 3 } }', drop("y"), '{ "a": { "x": 1, "z": 3 } }'],
  [
    "the last key, with its line",
    '{\n  "a": {\n    "x": 1,\n    "y": {}\n  }\n}',
    drop("y"),
    '{\n  "a": {\n    "x": 1\n  }\n}',
  ],
  ["every copy of a key", '{ "a": { "x": 1, "y": 2, "x": 3 } }', drop("x"), '{ "a": { "y": 2 } }'],
  ["no key that is not there", '{ "a": { "x": 1 } }', drop("y"), '{ "a": { "x": 1 } }'],
  ["an item", '{ "a": ["x"] }', add("y"), '{ "a": ["x", "y"] }'],
  ["an item after a trailing comma", '{ "a": ["x",] }', add("y"), '{ "a": ["x", "y",] }'],
  ["an item into nothing", '{ "a": [] }', add("y"), '{ "a": [\n  "y"\n] }'],
  [
    "an item on its line",
    '{\n  "a": [\n    "x" // first\n  ]\n}',
    add("y"),
    '{\n  "a": [\n    "x", // first\n    "y"\n  ]\n}',
  ],
  ["the first goes", '{ "a": ["x", "y"] }', remove(0), '{ "a": ["y"] }'],
  ["the last goes", '{ "a": ["x", "y"] }', remove(1), '{ "a": ["x"] }'],
  ["the only one goes", '{ "a": ["x",] }', remove(0), '{ "a": [] }'],
  [
    "a line goes",
    '{\n  "a": [\n    "x", // one\n    "y", // two\n    "z"\n  ]\n}',
    remove(1),
    '{\n  "a": [\n    "x", // one\n    "z"\n  ]\n}',
  ],
  [
    "the last line goes",
    '{\n  "a": [\n    "x", // one\n    "y" // two\n  ]\n}',
    remove(1),
    '{\n  "a": [\n    "x" // one\n  ]\n}',
  ],
];

test.each(ROWS)("%s", (_, before, edit, after) => {
  expect(edit(before)).toBe(after);
  expect(() => Bun.JSONC.parse(after.replace(/^\ufeff/, ""))).not.toThrow();
});

test("JSON that only some parsers accept is not edited", () => {
  expect(["{ 'a': 1 }", "{ a: 1 }", "{", '{ "a": 1, } // fine'].map(isEditable)).toEqual([false, false, false, true]);
});
