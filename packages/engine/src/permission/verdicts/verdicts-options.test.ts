// Which options keep a program read-only, and which make it write, run or send. See `verdicts-options-data.ts`.

import { expect, test } from "bun:test";
import { isReadOnlyCommand } from "../command/analysis/recent-analyses.ts";
import { PROGRAMS } from "../read-only/read-only-table.ts";
import { OPTION_ROWS } from "./tables/verdicts-options-data.ts";

const line = (program: string, words: string) => `${program} ${words}`.trim();

test.each(OPTION_ROWS.map((row) => [row.program, row] as const))("%s", (program, { looks, acts }) => {
  const wronglyAsked = looks.filter((words) => !isReadOnlyCommand(line(program, words)));
  const wronglyRun = acts.filter((words) => isReadOnlyCommand(line(program, words)));
  expect({ wronglyAsked, wronglyRun }).toEqual({ wronglyAsked: [], wronglyRun: [] });
});

test("every program of the table has exactly one row", () => {
  expect(OPTION_ROWS.map((row) => row.program).toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
});

test("a dangerous option is found anywhere among harmless ones", () => {
  const wrong = OPTION_ROWS.flatMap(({ program, looks, acts }) =>
    acts
      .filter((words) => words.startsWith("-") && !/^--(?: |$)/.test(words))
      .flatMap((words) => looks.map((harmless) => `${program} ${words} ${harmless}`))
      .filter((command) => !/[\];]| \)/.test(command) && isReadOnlyCommand(command)),
  );
  expect(wrong).toEqual([]);
});
