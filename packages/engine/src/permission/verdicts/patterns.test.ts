// What patterns, links and rules with a star reach. See `patterns-data.ts`.

import { expect, test } from "bun:test";
import { PATTERNS_ASK, PATTERNS_DENY, PATTERNS_RUN } from "./tables/patterns-data.ts";
import type { CommandRow } from "./tables/verdicts-data.ts";
import { judgeCommand, type TableVerdict } from "./judge.test-support.ts";

const COLUMNS: readonly (readonly [TableVerdict, readonly CommandRow[]])[] = [
  ["allow", PATTERNS_RUN],
  ["ask", PATTERNS_ASK],
  ["deny", PATTERNS_DENY],
];

const rows = COLUMNS.flatMap(([verdict, groups]) =>
  groups.map(([kind, setup, commands]) => ({ verdict, kind, setup, commands })),
);

test.each(rows)("$verdict, $kind", ({ verdict, setup, commands }) => {
  const wrong = commands.filter((command) => judgeCommand(command, setup) !== verdict);
  expect(wrong).toEqual([]);
});

test("no command is listed twice in one group", () => {
  const twice = rows.flatMap(({ commands }) => commands.filter((command, at) => commands.indexOf(command) !== at));
  expect(twice).toEqual([]);
});
