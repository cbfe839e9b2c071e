import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sourceTree } from "./tree.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-tree-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, text: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

test("changes() names source files that were created, changed and deleted since the last call", async () => {
  const tree = sourceTree(root, (name) => name.endsWith(".ts"));
  put("a.ts", "1");
  put("deep/er/b.ts", "1");
  put("deep/c.txt", "1");
  expect(await tree.changes()).toEqual([]);
  expect(await tree.changes()).toEqual([]);
  put("a.ts", "12");
  rmSync(join(root, "deep/er/b.ts"));
  put("deep/new.ts", "");
  // Packages, hidden folders and links are not looked at.
  put("node_modules/p/d.ts", "");
  put(".git/e.ts", "");
  symlinkSync(join(root, "deep"), join(root, "link"));
  symlinkSync(join(root, "a.ts"), join(root, "link.ts"));
  expect(await tree.changes()).toEqual([
    { path: join(root, "a.ts"), type: "changed" },
    { path: join(root, "deep/new.ts"), type: "created" },
    { path: join(root, "deep/er/b.ts"), type: "deleted" },
  ]);
  expect(await sourceTree(join(root, "gone"), () => true).changes()).toEqual([]);
});
