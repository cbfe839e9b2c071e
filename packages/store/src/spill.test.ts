import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_SPILL, spillResult } from "./spill.ts";

const home = mkdtempSync(join(tmpdir(), "keelson-spill-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test("spillResult() writes a private file named after the call and never overwrites one", async () => {
  const dir = join(home, "s", "tool-results");
  const first = await spillResult(dir, "toolu_1", "one");
  const second = await spillResult(dir, "toolu_1", "two");
  expect([first, second]).toEqual([join(dir, "toolu_1.txt"), join(dir, "toolu_1-2.txt")]);
  expect([readFileSync(first, "utf8"), readFileSync(second, "utf8")]).toEqual(["one", "two"]);
  expect([statSync(dir).mode & 0o777, statSync(first).mode & 0o777]).toEqual([0o700, 0o600]);
});

test("an id cannot choose the folder, and links are not followed", async () => {
  expect(await spillResult(home, "../../etc/passwd", "x")).toBe(join(home, "______etc_passwd.txt"));
  expect(await spillResult(home, "", "x")).toBe(join(home, "result.txt"));
  symlinkSync(join(home, "elsewhere"), join(home, "linked.txt"));
  expect(await spillResult(home, "linked", "x")).toBe(join(home, "linked-2.txt"));
});

test("spillResult() limits the size", async () => {
  const path = await spillResult(home, "large", "x".repeat(MAX_SPILL + 5));
  expect(statSync(path).size).toBe(MAX_SPILL + "\n[5 characters left out]\n".length);
});
