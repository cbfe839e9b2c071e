// How often people are bothered for nothing: at most one in fifty everyday commands may ask.

import { expect, test } from "bun:test";
import { EVERYDAY } from "./everyday-data.ts";
import { judgeCommand } from "./verdicts-world.ts";

const commands = EVERYDAY.flatMap(({ allow, commands }) => commands.map((command) => ({ command, allow })));

test("two hundred everyday commands ask at most four questions", () => {
  const asked = commands.filter(({ command, allow }) => judgeCommand(command, { allow }) !== "allow");
  expect(commands.length).toBeGreaterThanOrEqual(200);
  expect(new Set(commands.map(({ command }) => command)).size).toBe(commands.length);
  expect(asked.map(({ command }) => command)).toEqual(STILL_ASKED);
  expect(asked.length).toBeLessThanOrEqual(commands.length * 0.02);
});

/** Variables and substitutions are for the shell to know, and a subshell is not looked into for leave. New ones are written down here. */
const STILL_ASKED = [
  'for f in src/*.ts; do wc -l "$f"; done',
  'echo "$PATH"',
  "git diff $(git merge-base HEAD origin/main) --stat",
  "npm test || (exit 1)",
];

test("the same commands run without a question in acceptEdits and in plan mode", () => {
  for (const mode of ["acceptEdits", "plan"] as const) {
    const asked = commands.filter(({ command, allow }) => judgeCommand(command, { allow, mode }) !== "allow");
    expect(asked.length).toBeLessThanOrEqual(commands.length * 0.02);
  }
});

test("without the rules of the project, what is not only looking asks", () => {
  const working = EVERYDAY.filter(({ allow }) => allow.length > 0).flatMap((project) => project.commands);
  const silent = working.filter((command) => judgeCommand(command) === "allow");
  expect(silent).toEqual(["python3 --version"]);
});
