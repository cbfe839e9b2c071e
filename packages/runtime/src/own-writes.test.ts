import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOwnWrites } from "./own-writes.ts";

test("a file is ours while we write it, and afterwards until somebody else does", () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-own-"));
  const path = join(folder, "settings.json");
  const own = createOwnWrites(() => undefined);
  expect(own.isOurs(path)).toBe(false);
  const finished = own.writing([path, join(folder, "missing")]);
  expect(own.isOurs(path)).toBe(true);
  writeFileSync(path, "{}");
  finished();
  expect([own.isOurs(path), own.isOurs(join(folder, "missing"))]).toEqual([true, false]);
  utimesSync(path, 1, 1);
  expect(own.isOurs(path)).toBe(false);
  rmSync(folder, { recursive: true });
});

test("what a tool wrote is ours as long as it is as the tool left it", () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-own-"));
  const path = join(folder, "a");
  writeFileSync(path, "");
  utimesSync(path, 5, 5);
  const sighting = (by: "read" | "write", mtimeMs: number) => ({ by, mtimeMs, size: 0, hash: "" });
  const isOurs = (by: "read" | "write", mtimeMs: number) => createOwnWrites(() => sighting(by, mtimeMs)).isOurs(path);
  expect([isOurs("write", 5_000), isOurs("write", 4_000), isOurs("read", 5_000)]).toEqual([true, false, false]);
  rmSync(folder, { recursive: true });
});
