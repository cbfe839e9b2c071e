import { expect, test } from "bun:test";
import { boundedRead } from "./agent-ports.ts";

test("boundedRead() answers until the time runs out, then fails the call", () => {
  let clock = 0;
  const slow = (path: string) => {
    clock += 40;
    return path !== "denied";
  };
  const mayRead = boundedRead(slow, () => clock, 100);
  expect([mayRead("a"), mayRead("denied"), mayRead("b")]).toEqual([true, false, true]);
  expect(() => mayRead("c")).toThrow("Narrow the path or pattern");
});
