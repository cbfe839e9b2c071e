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
