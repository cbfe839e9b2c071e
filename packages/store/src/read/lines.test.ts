import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byteLines } from "./lines.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-lines-"));
const path = join(dir, "f");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("byteLines() returns every line once with its offset, even those larger than the buffer", () => {
  const lines = ["a", "b".repeat(1_500_000), "c".repeat(700_000), "", "d".repeat(5_000_000), "e"];
  writeFileSync(path, lines.join("\n"));
  const seen = [...byteLines(path)].length;
  expect(seen).toBe(5);
  const text = lines.join("\n");
  for (const { bytes, offset } of byteLines(path)) {
    expect(bytes.toString()).toBe(text.slice(offset, offset + bytes.length));
  }
  expect([...byteLines(path)].map(({ offset }) => offset)).toEqual([0, 2, 1_500_003, 2_200_005, 7_200_006]);
});

test("byteLines() skips a line that is too long and continues with the next", () => {
  writeFileSync(path, ["a", "x".repeat(9_000_000), "b", "y".repeat(9_000_000)].join("\n"));
  const seen: string[] = [];
  let skipped = 0;
  for (const { bytes } of byteLines(path, { maxLine: 2 * 1024 * 1024, onSkip: () => skipped++ }))
    seen.push(bytes.toString());
  expect({ seen, skipped }).toEqual({ seen: ["a", "b"], skipped: 2 });
});

test("byteLines() refuses anything but a regular file", () => {
  expect(() => [...byteLines(dir)]).toThrow("not a regular file");
});
