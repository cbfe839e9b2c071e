// What is loaded together, and what must not bring the rest of its group with it.

import { expect, test } from "bun:test";
import { join, relative } from "node:path";
import { groupMembers, programEntry, staticImports } from "./groups.ts";
import { root } from "./root.ts";

const packages = join(root, "packages");
const product = [...new Bun.Glob("*/src/**/*.ts").scanSync({ cwd: packages, absolute: true })].filter(
  (path) => !/\.test(?:-support)?\.ts$/.test(path),
);

test("nothing outside of the terminal loads all of it by importing one of its modules", async () => {
  const terminal = new Set((await groupMembers()).get("terminal"));
  expect(terminal.size).toBeGreaterThan(100);
  const isOfTerminal = (path: string) => /^(?:tui|testkit|cli.src.interactive)\b/.test(relative(packages, path));
  const others: string[] = [];
  for (const path of product.filter((each) => !isOfTerminal(each))) {
    if ((await staticImports(path)).some((each) => terminal.has(each))) others.push(relative(packages, path));
  }
  expect(others).toEqual([]);
});

test("what prints the version is in no group", async () => {
  const grouped = new Set([...(await groupMembers()).values()].flat());
  const early = [programEntry, ...(await staticImports(programEntry))];
  expect(early.length).toBeGreaterThan(1);
  expect(early.filter((path) => grouped.has(path))).toEqual([]);
});
