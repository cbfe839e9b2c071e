// Prefix rules and the options they do not cover, row by row. See `options-that-run-data.ts`.

import { expect, test } from "bun:test";
import { ROWS } from "./options-that-run-data.ts";
import { judgeCommand } from "./verdicts-world.ts";

/** What a repository may hold so that a pattern becomes an option. */
const ODD_NAMES = ["--x.ts", "--x.txt", "-x", "--exec", "--pre=x", "-e"].map((name) => `/repo/${name}`);

test.each(ROWS.map((row) => [row.allow, row] as const))("%s", (_, { allow, covered, asked }) => {
  const rules = { allow: [allow, "Bash(ls:*)", "Bash(grep:*)"] };
  const wronglyAsked = covered.filter((command) => judgeCommand(command, { ...rules, files: [] }) !== "allow");
  const wronglyRun = asked.filter((command) => judgeCommand(command, { ...rules, files: ODD_NAMES }) !== "ask");
  expect({ wronglyAsked, wronglyRun }).toEqual({ wronglyAsked: [], wronglyRun: [] });
});
