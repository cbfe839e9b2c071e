import { expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "./replace-file.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "keelson-replace-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test("replaceFile() gives the file the new content and the mode, and leaves nothing else", () => {
  using at = folder();
  const path = join(at.path, "a.json");
  writeFileSync(path, "old", { mode: 0o644 });
  replaceFile(path, "new", 0o640);
  expect([readFileSync(path, "utf8"), lstatSync(path).mode & 0o777, readdirSync(at.path)]).toEqual([
    "new",
    0o640,
    ["a.json"],
  ]);
});

test("replaceFile() replaces a link instead of writing through it", () => {
  using at = folder();
  const [path, outside] = [join(at.path, "a.json"), join(at.path, "outside")];
  writeFileSync(outside, "theirs");
  symlinkSync(outside, path);
  replaceFile(path, new TextEncoder().encode("ours"));
  expect([lstatSync(path).isFile(), readFileSync(path, "utf8"), readFileSync(outside, "utf8")]).toEqual([
    true,
    "ours",
    "theirs",
  ]);
});

test("replaceFile() removes what it wrote if the file cannot be put in its place", () => {
  using at = folder();
  const path = join(at.path, "a.json");
  mkdirSync(path);
  expect(() => replaceFile(path, "new")).toThrow("EISDIR");
  expect(readdirSync(at.path)).toEqual(["a.json"]);
});
