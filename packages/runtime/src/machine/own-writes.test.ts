import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLedger } from "@keelson/host";
import { createOwnWrites } from "./own-writes.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-own-"));
const path = join(folder, "settings.json");
afterAll(() => rmSync(folder, { recursive: true }));

/** Restores mtime, to make the file look unchanged. */
function replace(text: string): void {
  const { atime, mtime, ctimeNs } = statSync(path, { bigint: true });
  // The clock that stamps files ticks every few milliseconds.
  do writeFileSync(path, text);
  while (statSync(path, { bigint: true }).ctimeNs === ctimeNs);
  utimesSync(path, atime, mtime);
}

test("a file is ours while we write it, and afterwards until another program writes it", () => {
  const own = createOwnWrites();
  expect(own.isOurs(path)).toBe(false);
  const finished = own.begin([path, join(folder, "missing")]);
  expect(own.isOurs(path)).toBe(true);
  writeFileSync(path, "{}");
  finished();
  expect([own.isOurs(path), own.isOurs(join(folder, "missing"))]).toEqual([true, false]);
  replace("[]");
  expect(own.isOurs(path)).toBe(false);
});

test("a file a tool wrote is ours until it changes", () => {
  const own = createOwnWrites();
  const seen = own.trackingWrites(createLedger());
  const sighting = (by: "read" | "write", mtimeMs = statSync(path).mtimeMs) => ({ by, mtimeMs, size: 2, hash: "" });
  seen.set(path, sighting("read"));
  expect([own.isOurs(path), seen.get(path)?.by]).toEqual([false, "read"]);
  seen.set(path, sighting("write", 4_000));
  expect(own.isOurs(path)).toBe(false);
  seen.set(path, sighting("write"));
  seen.set(path, sighting("read"));
  expect(own.isOurs(path)).toBe(true);
  replace("()");
  expect(own.isOurs(path)).toBe(false);
});
