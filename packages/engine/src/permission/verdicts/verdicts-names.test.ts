// Other names of files, and rules that are slow to match. See `verdicts-names-data.ts`.

import { expect, test } from "bun:test";
import { bash, read } from "../gate.test-support.ts";
import { CALLS, SLOW_CALLS, SLOW_COMMANDS, SLOW_RULES } from "./tables/verdicts-names-data.ts";
import { judgeCall, judgeCommand } from "./judge.test-support.ts";

test.each(CALLS)("%s, %s (%s)", (verdict, tool, kind, setup, paths) => {
  const judged = paths.map((path) => [path, judgeCall(tool, { kind, path }, setup)]);
  expect(judged).toEqual(paths.map((path) => [path, verdict]));
});

test("a command that writes to another name of a protected file needs approval", () => {
  const edits = { mode: "acceptEdits" } as const;
  for (const command of [
    "echo x > .git:hooks",
    "touch GIT~1/config",
    "cp a .claude::\\$INDEX_ALLOCATION/settings.json",
  ])
    expect([command, judgeCommand(command, edits)]).toEqual([command, "ask"]);
});

test("a command that reads a stream of a denied file is denied", () => {
  const env = { mode: "bypassPermissions", deny: ["Read(.env)"] } as const;
  for (const command of [
    "cat '.env::$DATA'",
    "cat .env::\\$DATA",
    "cp .env:x /tmp/y",
    "head -1 < ./.ENV:a:\\$data",
    "cat .env.:x",
  ])
    expect([command, judgeCommand(command, env)]).toEqual([command, "deny"]);
});

test("a file with several names that could not be compared with denied files needs approval", () => {
  for (const mode of ["default", "bypassPermissions"] as const) {
    expect(read("/repo/a", { mode, linked: true })).toMatchObject({ behavior: "ask", blockedPath: "/repo/a" });
    expect(bash("cat a", { mode, linked: true }).behavior).toBe("ask");
  }
  expect(read("/repo/a", { mode: "dontAsk", linked: true }).behavior).toBe("deny");
});

test.each(SLOW_COMMANDS)("%s, judged without backtracking", (verdict, [, setup, commands]) => {
  const judged = commands.map((command) => [command.slice(0, 40), judgeCommand(command, setup)]);
  expect(judged).toEqual(commands.map((command) => [command.slice(0, 40), verdict]));
});

test("calls are judged without backtracking", () => {
  const plain = SLOW_CALLS.map(([tool, access]) => judgeCall(tool, access));
  expect(SLOW_CALLS.map(([tool, access]) => judgeCall(tool, access, { deny: SLOW_RULES }))).toEqual(plain);
});
