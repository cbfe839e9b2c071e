import { expect, test } from "bun:test";
import { median, renderComparison, renderTable } from "./table.ts";

test("renderTable() shows the floor next to each measurement", () => {
  const rows = [
    { what: "start", unit: "ms", samples: [9, 10, 12], floor: [4, 5, 6] },
    { what: "request", unit: "KB", samples: [123.4] },
    { what: "grep", unit: "ms", samples: [60], floor: [50], against: "bare rg" },
  ] as const;
  expect(renderTable(rows)).toBe(
    [
      "         keelson      range    floor  × floor",
      "start    10.0 ms  9.00–12.0  5.00 ms      2.0",
      "request   123 KB",
      "grep     60.0 ms             50.0 ms      1.2  bare rg",
    ].join("\n"),
  );
});

test("renderComparison() shows each program as a multiple of the first", () => {
  const start = (...samples: number[]) => [{ what: "start", unit: "ms", samples }] as const;
  const measured = new Map([
    ["new", start(9, 10, 12)],
    ["old", start(14, 15, 20)],
  ]);
  expect(renderComparison(measured)).toBe(
    ["           new      range      old      range     ×", "start  10.0 ms  9.00–12.0  15.0 ms  14.0–20.0  1.50"].join(
      "\n",
    ),
  );
});

test("median() of an even number of values is the mean of the middle two", () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, Number.NaN]);
});
