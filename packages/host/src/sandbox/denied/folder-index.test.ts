import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFolderIndex } from "./folder-index.ts";

function tree() {
  const root = mkdtempSync(join(tmpdir(), "keelson-index-"));
  return {
    root,
    /** Sets an old time, so no change looks recent. */
    write(path: string) {
      const full = join(root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, "");
      return full;
    },
    settle(...folders: string[]) {
      for (const folder of folders) utimesSync(join(root, folder), 1, 1);
    },
    index: (options: object = {}) =>
      createFolderIndex({ folder: root, matches: (path) => /(^|\/)\.env$/.test(path), depth: 64, ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

test("finds matches, and later what was added, removed and moved", async () => {
  using t = tree();
  const first = t.write(".env");
  const deep = t.write("a/b/.env");
  t.write("a/b/other");
  const index = t.index();
  expect((await index.refresh()).toSorted()).toEqual([first, deep].toSorted());
  t.settle(".", "a", "a/b");
  await index.refresh();

  const late = t.write("a/new/folder/.env");
  rmSync(first);
  expect((await index.refresh()).toSorted()).toEqual([deep, late].toSorted());
  renameSync(join(t.root, "a/b"), join(t.root, "c"));
  expect((await index.refresh()).toSorted()).toEqual([late, join(t.root, "c/.env")].toSorted());
});

test("two changes in the same tick of the file system's clock are both found", async () => {
  using t = tree();
  const index = t.index();
  for (let n = 0; n < 20; n++) {
    t.write(`d${n}/x`);
    await index.refresh();
    const found = t.write(`d${n}/.env`);
    expect(await index.refresh()).toContain(found);
  }
});

test("a call during the first walk gets the full result", async () => {
  using t = tree();
  for (let n = 0; n < 300; n++) t.write(`d${n}/sub/x`);
  const found = t.write("z/deep/.env");
  const index = t.index();
  expect(await Promise.all([index.refresh(), index.refresh(), index.refresh()])).toEqual([[found], [found], [found]]);
});

test("a matching folder is not entered, links are not followed, and .git is skipped", async () => {
  using t = tree();
  t.write(".git/.env");
  t.write("real/.env/inner/.env");
  symlinkSync(join(t.root, "real"), join(t.root, "link"));
  expect(await t.index().refresh()).toEqual([join(t.root, "real/.env")]);
});

test("depth and number of folders are limited", async () => {
  using t = tree();
  t.write("a/b/c/.env");
  expect(await t.index({ depth: 2 }).refresh()).toEqual([]);
  for (let n = 0; n < 10; n++) t.write(`f${n}/x`);
  const index = t.index({ maxFolders: 5 });
  await index.refresh();
  expect([index.isCut, index.folders().length]).toEqual([true, 5]);
});

test("a missing folder has no matches", async () => {
  const index = createFolderIndex({ folder: "/nowhere/at/all", matches: () => true, depth: 3 });
  expect(await index.refresh()).toEqual([]);
});

test("patterns that take too long stop the search, which reports it and yields to other work", async () => {
  using t = tree();
  for (let n = 0; n < 200; n++) t.write(`f${n}`);
  let asked = 0;
  const matches = () => {
    asked++;
    Bun.sleepSync(2);
    return false;
  };
  let ticks = 0;
  const clock = setInterval(() => ticks++, 1);
  const index = t.index({ matches, maxMatchMs: 40 });
  await index.refresh();
  clearInterval(clock);
  expect(index.isCut).toBe(true);
  expect(asked).toBeLessThan(200);
  expect(ticks).toBeGreaterThan(0);
});
