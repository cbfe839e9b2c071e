// Other names of files, and rules that are slow to match. See `verdicts-names-data.ts`.

import { expect, test } from "bun:test";
import { CALLS, SLOW_CALLS, SLOW_COMMANDS, SLOW_RULES } from "./verdicts-names-data.ts";
import { judgeCall, judgeCommand } from "./verdicts-world.ts";

test.each(CALLS)("%s, %s (%s)", (verdict, tool, kind, world, paths) => {
  const judged = paths.map((path) => [path, judgeCall(tool, { kind, path }, world)]);
  expect(judged).toEqual(paths.map((path) => [path, verdict]));
});

test("a command that writes to another name of a protected file is asked about", () => {
  const edits = { mode: "acceptEdits" } as const;
  for (const command of [
    "echo x > .git:hooks",
    "touch GIT~1/config",
    "cp a .claude::\\$INDEX_ALLOCATION/settings.json",
  ])
    expect([command, judgeCommand(command, edits)]).toEqual([command, "ask"]);
});

test.each(SLOW_COMMANDS)("%s, judged without trying every way", (verdict, [, world, commands]) => {
  const judged = commands.map((command) => [command.slice(0, 40), judgeCommand(command, world)]);
  expect(judged).toEqual(commands.map((command) => [command.slice(0, 40), verdict]));
});

test("calls are judged without trying every way", () => {
  const plain = SLOW_CALLS.map(([tool, access]) => judgeCall(tool, access));
  expect(SLOW_CALLS.map(([tool, access]) => judgeCall(tool, access, { deny: SLOW_RULES }))).toEqual(plain);
});
