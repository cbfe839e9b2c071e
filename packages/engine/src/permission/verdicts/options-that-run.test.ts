// Prefix rules and the options they do not cover, row by row. See `options-that-run-data.ts`.

import { expect, test } from "bun:test";
import { TOOL_ROWS } from "./tables/options-of-tools-data.ts";
import { ROWS as PROGRAM_ROWS } from "./tables/options-that-run-data.ts";
import { judgeCommand } from "./judge.test-support.ts";

const ROWS = [...PROGRAM_ROWS, ...TOOL_ROWS];

/** File names in a repository that turn a pattern into an option. */
const ODD_NAMES = ["--x.ts", "--x.txt", "-x", "--exec", "--pre=x", "-e"].map((name) => `/repo/${name}`);

test.each(ROWS.map((row) => [row.allow, row] as const))("%s", (_, { allow, covered, asked }) => {
  const rules = { allow: [allow, "Bash(ls:*)", "Bash(grep:*)"] };
  const wronglyAsked = covered.filter((command) => judgeCommand(command, { ...rules, files: [] }) !== "allow");
  const wronglyRun = asked.filter((command) => judgeCommand(command, { ...rules, files: ODD_NAMES }) !== "ask");
  expect({ wronglyAsked, wronglyRun }).toEqual({ wronglyAsked: [], wronglyRun: [] });
});

test("an option is found however the program and its words are written", () => {
  const wrong = ROWS.flatMap(({ allow, asked }) => {
    const rule = /^Bash\((\w+):\*\)$/.exec(allow)?.[1];
    if (rule === undefined) return [];
    return asked
      .filter((command) => command.startsWith(`${rule} `) && !/['"$~;|*?[]/.test(command))
      .flatMap((command) => [
        `/usr/bin/${command}`,
        `/usr/bin/${command} x`,
        `/usr/bin/${command.replace(/ (-[^ ]+)/g, ' "$1"')}`,
        `/usr/bin/${command.replace(/ -/g, " \\\n -")}`,
        `timeout 5 /usr/bin/${command}`,
      ])
      .filter((command) => judgeCommand(command, { allow: [`Bash(/usr/bin/${rule} *)`] }) !== "ask");
  });
  expect(wrong).toEqual([]);
});
