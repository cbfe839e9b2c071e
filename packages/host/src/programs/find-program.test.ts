import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findProgram } from "./find-program.ts";

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
