import { expect, test } from "bun:test";
import { memoryInTable, memoryOf } from "./memory.ts";

test("memoryInTable() sums up a program and its children", () => {
  const table = "    1     0  100\n   10     1   20\n   11    10    3\n   12    11    4\n   13     1  999\nbroken\n";
  expect([memoryInTable(table, 10), memoryInTable(table, 12), memoryInTable(table, 99)]).toEqual([
    27 * 1024,
    4 * 1024,
    undefined,
  ]);
});

test("memoryOf() of this process is more than that of none", async () => {
  expect(await memoryOf(process.pid)).toBeGreaterThan(1024 * 1024);
  expect(await memoryOf(2 ** 22 + 1)).toBeUndefined();
});
