import { expect, test } from "bun:test";
import type { CodeProblem } from "@keelson/protocol";
import { newProblems, problemsOf } from "./problems.ts";

const problem = (line: number, message = "m", severity: CodeProblem["severity"] = "error"): CodeProblem => ({
  line,
  character: 0,
  severity,
  message,
});

test.each([
  ["nothing was there", [], [problem(1)], [problem(1)]],
  ["nothing changed", [problem(1), problem(2)], [problem(1), problem(2)], []],
  ["lines moved", [problem(1), problem(5)], [problem(3), problem(7)], []],
  ["another message", [problem(1, "a")], [problem(1, "b")], [problem(1, "b")]],
  ["another severity", [problem(1)], [problem(1, "m", "warning")], [problem(1, "m", "warning")]],
  ["one more of the same, on another line", [problem(4)], [problem(1), problem(4)], [problem(1)]],
  ["one fixed, one new", [problem(4, "a")], [problem(9, "b")], [problem(9, "b")]],
  ["twice on one line", [problem(4)], [problem(4), problem(4)], [problem(4)]],
])("newProblems() when %s", (_, before, now, expected) => {
  expect(newProblems(before, now)).toEqual(expected);
});

test("problemsOf() keeps what has a message and a position, and bounds it", () => {
  const at = (line: unknown) => ({ start: { line, character: 2 }, end: {} });
  const items = [
    { range: at(1), message: "a", severity: 2, code: 5, source: "s" },
    { range: at(1), message: "b".repeat(5_000) },
    { range: at("1"), message: "c" },
    { range: at(1) },
    { message: "d" },
    null,
    ...Array.from({ length: 2_000 }, () => ({ range: at(1), message: "many", severity: 99 })),
  ];
  const found = problemsOf(items);
  expect(found.slice(0, 2)).toEqual([
    { line: 1, character: 2, severity: "warning", message: "a", code: "5", source: "s" },
    { line: 1, character: 2, severity: "error", message: "b".repeat(1_000) },
  ]);
  expect(found.length).toBeLessThanOrEqual(1_000);
  expect([problemsOf(undefined), problemsOf({})]).toEqual([[], []]);
});
