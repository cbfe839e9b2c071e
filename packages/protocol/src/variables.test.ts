import { expect, test } from "bun:test";
import { isVariableOn, switchIn } from "./variables.ts";

test.each([
  ["1", true],
  ["true", true],
  ["YES", true],
  [" on ", true],
  ["0", false],
  ["False", false],
  ["no", false],
  ["off\n", false],
  ["", undefined],
  ["2", undefined],
  ["enabled", undefined],
  ["on off", undefined],
  [undefined, undefined],
])("a variable of %p is %p", (value, expected) => {
  expect(switchIn(value)).toBe(expected);
  expect(isVariableOn(value)).toBe(expected === true);
});
