import { expect, test } from "bun:test";
import { readCounts, skippedTests, withoutPasses } from "./test-output.ts";

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

const cut = `bun test v1.4.4 (38afee6c8) 2x PARALLEL

packages/a/src/a.test.ts:
(pass) one [0.20ms]
(skip) two [zsh is not installed]

b.test.ts:
(pass) three [0.20ms]

packages/a/src/a.test.ts:
error: expect(received).toBe(expected)

Expected: 2
(fail) four [3.00ms]
(todo) group > five

Interrupted while still running:
  b.test.ts (2s)
`;

const long = `
a.test.ts:
(skip) s [no zsh]
(fail) f [0.43ms]

1 tests skipped:
(skip) s [no zsh]


1 tests failed:
(fail) f [0.43ms]
`;

test.each([
  ["totals at the end", finished, 1, { passed: 12, failed: 3, skipped: 3 }],
  [
    "colored totals",
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
  ["what was reported until a run was cut", cut, null, { passed: 2, failed: 2, skipped: 2 }],
])("readCounts() reads %s", (_, output, exitCode, counts) => {
  expect(readCounts(output, exitCode)).toEqual(counts);
});

test("skippedTests() names the file, the test and the reason", () => {
  expect(skippedTests(cut)).toEqual([
    "packages/a/src/a.test.ts: two [zsh is not installed]",
    "packages/a/src/a.test.ts: group > five [no reason given]",
  ]);
});

test("withoutPasses() keeps failures and what was printed around them", () => {
  expect(withoutPasses(cut)).toBe(`bun test v1.4.4 (38afee6c8) 2x PARALLEL

packages/a/src/a.test.ts:
error: expect(received).toBe(expected)

Expected: 2
(fail) four [3.00ms]

Interrupted while still running:
  b.test.ts (2s)`);
});

test("tests that a long run lists again at its end count once", () => {
  expect(readCounts(long, null)).toEqual({ passed: 0, failed: 2, skipped: 1 });
  expect(skippedTests(long)).toEqual(["a.test.ts: s [no zsh]"]);
  expect(withoutPasses(long)).toBe("a.test.ts:\n(fail) f [0.43ms]\n\n1 tests failed:\n(fail) f [0.43ms]");
});
