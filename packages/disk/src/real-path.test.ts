import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realPathOf, isOpenAt, unplantedFolder } from "./real-path.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-real-path-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const at = (...parts: string[]) => join(place, ...parts);

test("realPathOf() follows links, even if the target does not exist yet", () => {
  mkdirSync(at("folder"));
  mkdirSync(at("outside"));
  symlinkSync(at("outside"), at("folder", "link"));
  symlinkSync("../outside/new", at("folder", "dangling"));
  symlinkSync(at("folder", "dangling"), at("twice"));
  symlinkSync("loop", at("loop"));
  const table: Record<string, string> = {
    "folder/link/file": "outside/file",
    "folder/link/a/b/c": "outside/a/b/c",
    "folder/dangling": "outside/new",
    "folder/dangling/below": "outside/new/below",
    twice: "outside/new",
    "nowhere/at/all": "nowhere/at/all",
    loop: "loop",
    "loop/below": "loop/below",
  };
  expect(Object.keys(table).map((path) => realPathOf(at(path)))).toEqual(Object.values(table).map((path) => at(path)));
});

test("isOpenAt() is false for a folder that was reached through a link or has moved", () => {
  mkdirSync(at("here", "inner"), { recursive: true });
  symlinkSync(at("here"), at("alias"));
  const fd = openSync(at("alias", "inner"), "r");
  expect([isOpenAt(fd, at("here/inner")), isOpenAt(fd, at("alias/inner"))]).toEqual([true, false]);
  renameSync(at("here/inner"), at("here/other"));
  expect([isOpenAt(fd, at("here/inner")), isOpenAt(fd, at("here/other"))]).toEqual([false, true]);
  closeSync(fd);
});

test("realPathOf() resolves the existing part of a very long path", () => {
  const rest = "a/".repeat(40_000);
  expect(realPathOf(`/nowhere-at-all/${rest}end`)).toBe(`/nowhere-at-all/${rest}end`);
});

test("unplantedFolder() follows links above a root, and below it only to a folder of the same name", () => {
  for (const name of ["real/config/plans", "real/work", "dotfiles/plans", "rules"])
    mkdirSync(at(name), { recursive: true });
  symlinkSync(at("real"), at("home"));
  symlinkSync(at("rules"), at("real/work/plans"));
  symlinkSync(at("dotfiles"), at("real/work/dotfiles"));
  const roots = [at("home/config"), at("home/work"), at("real/work")];
  const found = [
    "home/config/plans",
    "home/config/new",
    "real/work/plans",
    "real/work/dotfiles",
    "home/work/plans/x",
    "rules",
  ];
  expect(found.map((path) => unplantedFolder(at(path), roots))).toEqual([
    at("real/config/plans"),
    at("real/config/new"),
    undefined,
    at("dotfiles"),
    undefined,
    at("rules"),
  ]);
});
