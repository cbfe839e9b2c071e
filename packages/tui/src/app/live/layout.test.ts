import { expect, test } from "bun:test";
import type { Frame } from "../../screen/view.ts";
import { stack } from "./layout.ts";

const frame = (rows: number) => ({ columns: 10, rows }) as Frame;
const lines = (name: string, count: number, cursor?: { row: number; column: number }) => ({
  render: () => ({
    rows: Array.from({ length: count }, (_, index) => `${name}${index}`),
    ...(cursor ? { cursor } : {}),
  }),
});

test("stack() puts the parts below each other and moves the cursor along", () => {
  const parts = [
    { view: lines("a", 2), rank: 2 },
    { view: lines("b", 1, { row: 0, column: 3 }), rank: 0, focused: true },
    { view: lines("c", 1), rank: 1 },
  ];
  expect(stack(parts, frame(10))).toEqual({ rows: ["a0", "a1", "b0", "c0"], cursor: { row: 2, column: 3 } });
});

test("stack() gives room by rank and keeps the last rows of what is cut", () => {
  const parts = [
    { view: lines("feed", 9), rank: 2 },
    { view: lines("prompt", 2), rank: 0, focused: true },
    { view: lines("footer", 1), rank: 1 },
  ];
  expect(stack(parts, frame(5)).rows).toEqual(["feed7", "feed8", "prompt0", "prompt1", "footer0"]);
  expect(stack(parts, frame(2)).rows).toEqual(["prompt0", "prompt1"]);
});

test("stack() renders what does not move only if it has another amount of room", () => {
  const counts = { feed: 0, prompt: 0, footer: 0 };
  const counting = (name: keyof typeof counts, count: () => number) => ({
    render: () => ({ rows: Array.from({ length: count() }, () => `${name}${counts[name]++}`) }),
  });
  let feed = 1;
  const parts = [
    { view: counting("feed", () => feed), rank: 1, moves: true },
    { view: counting("prompt", () => 1), rank: 0 },
    { view: counting("footer", () => 1), rank: 2 },
  ];
  const still = new Map();
  expect(stack(parts, frame(5), still).rows).toEqual(["feed0", "prompt0", "footer0"]);
  expect(stack(parts, frame(5), still).rows).toEqual(["feed1", "prompt0", "footer0"]);
  feed = 2;
  expect(stack(parts, frame(5), still).rows).toEqual(["feed2", "feed3", "prompt0", "footer1"]);
  feed = 4;
  expect(stack(parts, frame(5), still).rows).toEqual(["feed4", "feed5", "feed6", "feed7", "prompt0"]);
  expect(stack(parts, frame(5)).rows.at(-1)).toBe("prompt1");
});
