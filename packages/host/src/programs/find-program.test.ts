import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findProgram, programsOnPath } from "./find-program.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-program-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("findProgram() uses only absolute entries of the PATH", () => {
  const planted = join(place, "bin");
  mkdirSync(planted);
  writeFileSync(join(planted, "keelson-probe"), "#!/bin/sh\n", { mode: 0o755 });
  const fromHere = relative(process.cwd(), planted);
  expect(findProgram("keelson-probe", `/nowhere:${planted}`)).toBe(join(planted, "keelson-probe"));
  for (const path of [fromHere, `.:${fromHere}:`, "", undefined]) expect(findProgram("keelson-probe", path)).toBeNull();
});

test("programsOnPath() finds the first of each name, with links resolved, and where a link to another program is", () => {
  const [own, system] = [join(place, "own"), join(place, "system")];
  for (const folder of [own, system]) mkdirSync(folder);
  for (const path of [join(own, "ls"), join(system, "ls"), join(system, "cat"), join(system, "python3")])
    writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(join(system, "python3"), join(own, "python"));
  symlinkSync(join(system, "python3"), join(own, "tree"));
  symlinkSync(join(system, "python3"), join(own, "py"));
  expect([...programsOnPath(["ls", "cat", "python", "tree", "py", "missing"], `${own}:${system}`)]).toEqual([
    ["ls", [join(own, "ls")]],
    ["cat", [join(system, "cat")]],
    ["python", [join(system, "python3")]],
    ["tree", [join(own, "tree"), join(system, "python3")]],
    ["py", [join(own, "py"), join(system, "python3")]],
  ]);
});
