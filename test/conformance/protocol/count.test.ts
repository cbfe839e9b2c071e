// That the table is as large as is promised, that no case is hidden by its name, and that it covers what there is.

import { expect, test } from "bun:test";
import { casesOn } from "./check.ts";
import { SCENARIOS } from "./table.ts";

const LEAST = 150;

test(`there are at least ${LEAST} cases for each way to drive the program`, () => {
  const count = (kind: "pipe" | "sdk") => SCENARIOS.flatMap((scenario) => casesOn(kind, scenario)).length;
  expect([count("pipe") >= LEAST, count("sdk") >= LEAST]).toEqual([true, true]);
});

test("no two cases have one name", () => {
  const names = SCENARIOS.flatMap(({ name, cases }) => cases.map((row) => `${name}: ${row.name}`));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every case runs somewhere", () => {
  const idle = SCENARIOS.flatMap((scenario) => {
    const run = new Set([...casesOn("pipe", scenario), ...casesOn("sdk", scenario)]);
    return scenario.cases.filter((row) => !run.has(row)).map((row) => `${scenario.name}: ${row.name}`);
  });
  expect(idle).toEqual([]);
});
