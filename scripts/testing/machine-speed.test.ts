import { expect, test } from "bun:test";
import { measureSlowness, slownessOf } from "./machine-speed.ts";

test.each([
  ["a fast machine", 10, 16, 1],
  ["ours", 50, 2, 1],
  ["one that takes three times as long", 150, 2, 3],
  ["one core", 50, 1, 2],
  ["one that hangs", 100_000, 1, 10],
])("slownessOf(): %s", (_, milliseconds, cores, expected) => {
  expect(slownessOf(milliseconds, cores)).toBe(expected);
});

test("measureSlowness() is a factor limits can be multiplied by", () => {
  const slowness = measureSlowness();
  expect([slowness >= 1, slowness <= 10]).toEqual([true, true]);
});
