import { expect, test } from "bun:test";
import { readCounts } from "./test-counts.ts";

const finished = `
a.test.ts:
(fail) it says " 7 pass" [0.09ms]

 7 pass
Ran 7 tests across 1 file. [1.00ms] was printed by a program under test

 12 pass
 1 skip
 2 todo
 3 fail
 1 error
 20 expect() calls
Ran 18 tests across 4 files. [3.00ms]
`;

test.each([
  ["totals at the end", finished, 1, { passed: 12, failed: 3, skipped: 3 }],
  [
    "coloured totals",
    "\n\x1b[32m 2 pass\x1b[0m\n 0 fail\nRan 2 tests across 1 file.\n",
    0,
    { passed: 2, failed: 0, skipped: 0 },
  ],
  [
    "a failing run that counts no failure",
    "\n 2 pass\n 0 fail\nRan 2 tests across 1 file.\n",
    1,
    { passed: 2, failed: 1, skipped: 0 },
  ],
  ["a crash before the totals", "bun test v1.4.4\n", 132, { passed: 0, failed: 1, skipped: 0 }],
  ["a run ended by a signal", "", null, { passed: 0, failed: 1, skipped: 0 }],
])("readCounts() reads %s", (_, output, exitCode, counts) => {
  expect(readCounts(output, exitCode)).toEqual(counts);
});
