import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insidePath } from "./inside.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-inside-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const root = join(place, "plugin");
mkdirSync(join(root, "skills"), { recursive: true });
writeFileSync(join(place, "secret"), "");
symlinkSync(join(place, "secret"), join(root, "link"));

test.each(["./skills", "skills", "./skills/", "."])("%j is in the plugin", (given) => {
  expect(insidePath(root, given)).toMatchObject({ kind: "folder" });
});

test.each([
  "/etc",
  "~/x",
  "C:\\x",
  "\\x",
  "$HOME",
  "../plugin-2",
  "./../secret",
  "skills/../../secret",
  "link",
  "a\0b",
])("%j is not", (given) => {
  expect(insidePath(root, given)).toEqual({ problem: expect.any(String) });
});

test("a path that does not exist is missing", () => {
  expect(insidePath(root, "commands")).toEqual({
    problem: "does not exist; create it, or correct the path",
    missing: true,
  });
});
