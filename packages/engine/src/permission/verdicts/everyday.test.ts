// How often people are asked needlessly: at most one in fifty everyday commands may need approval without a listed
// reason.

import { expect, test } from "bun:test";
import type { PermissionMode } from "@keelson/protocol";
import { EASIER, EVERYDAY as PROJECTS, STILL_ASKED, STRICTER } from "./tables/everyday-data.ts";
import { USUAL } from "./tables/everyday-lines-data.ts";
import { judgeCommand } from "./judge.test-support.ts";

const EVERYDAY = [...PROJECTS, USUAL];
const commands = EVERYDAY.flatMap(({ allow, commands }) => commands.map((command) => ({ command, allow })));

/** Judged with nothing unusual on disk. */
function asked(mode: PermissionMode = "default"): string[] {
  const found = commands.filter(({ command, allow }) => judgeCommand(command, { allow, mode, files: [] }) !== "allow");
  return found.map(({ command }) => command);
}

test("of six hundred everyday commands, exactly those listed here need approval", () => {
  expect(commands.length).toBeGreaterThanOrEqual(600);
  expect(new Set(commands.map(({ command }) => command)).size).toBe(commands.length);
  expect(asked().toSorted()).toEqual([...STILL_ASKED, ...Object.keys(STRICTER)].toSorted());
  expect(STILL_ASKED.length).toBeLessThanOrEqual(commands.length * 0.02);
});

test("what became easier is in the table, and everything that became stricter has a reason", () => {
  const known = new Set(commands.map(({ command }) => command));
  const changed = [...EASIER, ...Object.keys(STRICTER)];
  expect(changed.filter((command) => !known.has(command) || STILL_ASKED.includes(command))).toEqual([]);
  expect(new Set(changed).size).toBe(changed.length);
  expect(Object.values(STRICTER).filter((reason) => !/^[a-z].*\w$/.test(reason))).toEqual([]);
});

test("the same commands run without approval in acceptEdits and in plan mode", () => {
  for (const mode of ["acceptEdits", "plan"] as const) {
    const needless = asked(mode).filter((command) => !Object.hasOwn(STRICTER, command));
    expect(needless.length).toBeLessThanOrEqual(commands.length * 0.02);
  }
});

test("without the project's rules, commands that are not read-only need approval", () => {
  const working = PROJECTS.filter(({ allow }) => allow.length > 0).flatMap((project) => project.commands);
  const silent = working.filter((command) => judgeCommand(command, { files: [] }) === "allow");
  expect(silent).toEqual(["python3 --version"]);
});
