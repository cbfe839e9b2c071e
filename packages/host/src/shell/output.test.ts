import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPrivateFile } from "../files/private-file.ts";
import { collectOutput } from "./output.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-output-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const refuse = () => {
  throw new Error("no disk");
};

test("characters split between chunks are joined", () => {
  const output = collectOutput(100, refuse);
  for (const byte of new TextEncoder().encode("né😀\n")) output.push(Uint8Array.of(byte));
  expect(output.end()).toEqual({ text: "né😀\n", tail: "", size: 8, path: null });
});

test("long output is saved to the file, with its start as text and its end as tail", () => {
  const output = collectOutput(4, () => createPrivateFile(place, "long.txt"));
  const all = `abc😀${"x".repeat(6_000)}end`;
  for (const part of [all.slice(0, 2), all.slice(2, 500), all.slice(500)]) output.push(new TextEncoder().encode(part));
  expect(output.end()).toEqual({ text: "abc", tail: all.slice(-5_000), size: 6_010, path: join(place, "long.txt") });
  expect(readFileSync(join(place, "long.txt"), "utf8")).toBe(all);
});

test("without a file, the start and the end are kept", () => {
  const output = collectOutput(3, refuse);
  output.push(new TextEncoder().encode("abcdef"));
  expect(output.end()).toEqual({ text: "abc", tail: "abcdef", size: 6, path: null });
});

test("moveToFile() saves what came before, and stops at its limit with a note", () => {
  const output = collectOutput(100, refuse);
  let full = 0;
  const push = (text: string) => output.push(new TextEncoder().encode(text));
  push("before\n");
  expect(output.moveToFile(refuse, { maxBytes: 20, note: "[full]", full() {} })).toBeNull();
  const limit = { maxBytes: 20, note: "[full]", full: () => void full++ };
  const path = output.moveToFile(() => createPrivateFile(place, "moved.txt"), limit);
  push("after\n");
  push("far too much\n");
  push("and more\n");
  output.end(() => "\nlast");
  expect([path, full]).toEqual([join(place, "moved.txt"), 1]);
  expect(readFileSync(path!, "utf8")).toBe("before\nafter\n[full]\nlast");
});

test("moveToFile() says so if the middle of the output was not saved", () => {
  const output = collectOutput(3, refuse);
  output.push(new TextEncoder().encode("abcdef"));
  const limit = { maxBytes: 1_000, note: "", full() {} };
  const path = output.moveToFile(() => createPrivateFile(place, "gap.txt"), limit);
  output.push(new TextEncoder().encode("after"));
  output.end();
  expect(readFileSync(path!, "utf8")).toBe("abcdef\n[some output is missing here]\nafter");
});
