import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namedFiles, watchFiles, type FileEvent, type FileWatch } from "./watch-files.ts";

const folders: string[] = [];
const watches: FileWatch[] = [];
afterEach(() => {
  for (const each of watches.splice(0)) each.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function scene() {
  const folder = mkdtempSync(join(tmpdir(), "keelson-watch-"));
  folders.push(folder);
  const seen: [string, FileEvent][] = [];
  let arrived: (() => void) | undefined;
  const watched = watchFiles((path, event) => {
    seen.push([path.slice(folder.length + 1), event]);
    arrived?.();
  });
  watches.push(watched);
  const count = async (wanted: number) => {
    while (seen.length < wanted) await new Promise<void>((resolve) => (arrived = resolve));
    return seen;
  };
  return { folder, watched, count };
}

test("a watched file is reported when it is created, changed, replaced and deleted", async () => {
  const { folder, watched, count } = scene();
  const path = join(folder, ".env");
  watched.add([path]);
  writeFileSync(join(folder, "other"), "not watched");
  writeFileSync(path, "A=1");
  await count(1);
  writeFileSync(path, "A=1\nB=2");
  await count(2);
  writeFileSync(join(folder, "new"), "A=3");
  renameSync(join(folder, "new"), path);
  await count(3);
  unlinkSync(path);
  expect(await count(4)).toEqual([
    [".env", "add"],
    [".env", "change"],
    [".env", "change"],
    [".env", "unlink"],
  ]);
});

test("namedFiles() reads a matcher as base names and nothing else", () => {
  expect(namedFiles(".env|.envrc | package.json", "/p")).toEqual(["/p/.env", "/p/.envrc", "/p/package.json"]);
  expect(namedFiles("..|.|a/b", "/p")).toEqual([]);
  expect(namedFiles(undefined, "/p")).toEqual([]);
});
