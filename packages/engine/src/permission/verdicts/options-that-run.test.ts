// Prefix rules and the options they do not cover, row by row. See `options-that-run-data.ts`.

import { expect, test } from "bun:test";
import { ROWS } from "./options-that-run-data.ts";
import { judgeCommand } from "./verdicts-world.ts";

test.each(ROWS.map((row) => [row.allow, row] as const))("%s", (_, { allow, covered, asked }) => {
  const world = { allow: [allow, "Bash(ls:*)", "Bash(grep:*)"] };
  const wronglyAsked = covered.filter((command) => judgeCommand(command, world) !== "allow");
  const wronglyRun = asked.filter((command) => judgeCommand(command, world) !== "ask");
  expect({ wronglyAsked, wronglyRun }).toEqual({ wronglyAsked: [], wronglyRun: [] });
});
