import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkspace } from "./workspace.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-workspace-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const at = (...parts: string[]) => join(place, ...parts);

test("move() stays inside the directories, by real segments", () => {
  for (const folder of ["p/..sub", "p-evil", "extra/in"]) mkdirSync(at(folder), { recursive: true });
  symlinkSync(at("p-evil"), at("p", "out"));
  symlinkSync(at("p"), at("alias"));
  writeFileSync(at("p", "file"), "");
  const directories: string[] = [];
  const workspace = createWorkspace(at("p"), () => directories);

  const moves = [
    at("p", "..sub"),
    at("alias"),
    at("p-evil"),
    at("p", "out"),
    place,
    at("p", "file"),
    at("p", "gone"),
    at("extra", "in"),
  ];
  expect(moves.map((path) => workspace.move(path))).toEqual([true, true, false, false, false, false, false, false]);
  expect(workspace.cwd).toBe(at("p"));

  directories.push(at("extra"));
  expect(workspace.move(at("extra", "in"))).toBe(true);
  expect({ cwd: workspace.cwd, directories: workspace.directories }).toEqual({
    cwd: at("extra", "in"),
    directories: [at("p"), at("extra")],
  });
});

test("moveRoot() replaces the root and keeps the other directories", () => {
  mkdirSync(at("w"), { recursive: true });
  const moves: string[][] = [];
  const workspace = createWorkspace(at("p"), [at("extra")], (...move) => void moves.push(move));
  workspace.moveRoot(at("w"));
  expect([workspace.root, workspace.cwd, ...workspace.directories]).toEqual([at("w"), at("w"), at("w"), at("extra")]);
  expect(workspace.move(at("p"))).toBe(false);
  workspace.moveRoot(at("p"), { quiet: true });
  expect(moves).toEqual([[at("p"), at("w")]]);
});

test("former: the roots and current directories that were left, each once", () => {
  for (const folder of ["p/sub", "p/deep"]) mkdirSync(at(folder), { recursive: true });
  const workspace = createWorkspace(at("p"));
  expect(workspace.former).toEqual([]);
  for (const folder of ["p/sub", "p", "p/sub", "p/deep"]) workspace.move(at(folder));
  expect(workspace.former).toEqual([at("p/sub")]);
  workspace.moveRoot(at("w"));
  workspace.leave([at("gone"), at("p")]);
  expect(workspace.former).toEqual([at("p/sub"), at("p"), at("p/deep"), at("gone")]);
});
