import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStamp } from "./folder-stamp.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-stamp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("folderStamp() changes with every file, folder, link and mode, and only then", () => {
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "a/b"), "1");
  const seen = new Set<string | undefined>();
  const changes = [
    () => {},
    () => writeFileSync(join(folder, "a/b"), "22"),
    () => writeFileSync(join(folder, "a/c"), ""),
    () => mkdirSync(join(folder, "a/d")),
    () => symlinkSync("/nowhere", join(folder, "e")),
    () => chmodSync(join(folder, "a/c"), 0o600),
    () => rmSync(join(folder, "a/c")),
  ];
  for (const change of changes) {
    change();
    const stamp = folderStamp(folder);
    expect(stamp).toBeString();
    expect(folderStamp(folder)).toBe(stamp);
    seen.add(stamp);
  }
  expect(seen.size).toBe(changes.length);
});

test("folderStamp() cannot tell for a folder that is not there", () => {
  expect(folderStamp(join(folder, "none"))).toBeUndefined();
});
