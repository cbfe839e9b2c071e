import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openBundledTexts } from "./bundled-texts.ts";
import { TEXTS } from "./texts.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-bundled-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a skill without reference files creates no folder", async () => {
  const directory = join(place, "none");
  expect(await openBundledTexts(directory).read({ name: "review" })).toEqual({ text: TEXTS["review"]!.text });
  expect(existsSync(directory)).toBe(false);
});

test("reference files are written to a private folder, once for each session, and removed at its end", async () => {
  const directory = join(place, "session");
  const mine = openBundledTexts(directory);
  const other = openBundledTexts(directory);
  const [first, again, others] = [
    await mine.read({ name: "update-config" }),
    await mine.read({ name: "update-config" }),
    await other.read({ name: "update-config" }),
  ];

  const { text, files } = TEXTS["update-config"]!;
  const folder = first.folder!;
  expect(first).toEqual({ text, folder });
  expect(again).toEqual(first);
  expect(others.folder).not.toBe(folder);
  expect(dirname(folder)).toBe(directory);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])),
  ).toEqual(files!);

  mine.close();
  expect([folder, others.folder!].map((path) => existsSync(path))).toEqual([false, true]);
  other.close();
  expect(readdirSync(directory)).toEqual([]);
});

test("a folder that was removed meanwhile is created again", async () => {
  const texts = openBundledTexts(join(place, "removed"));
  const before = (await texts.read({ name: "update-config" })).folder!;
  rmSync(before, { recursive: true });
  const after = (await texts.read({ name: "update-config" })).folder!;
  expect(existsSync(join(after, "hooks.md"))).toBe(true);
  texts.close();
  expect(existsSync(after)).toBe(false);
});

test("an unknown name is an error, also one that every object has", async () => {
  for (const name of ["nope", "constructor"]) {
    expect(openBundledTexts(place).read({ name })).rejects.toThrow(`No bundled skill is called '${name}'`);
  }
});
