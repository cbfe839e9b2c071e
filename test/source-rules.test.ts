// The shape of the source tree: folders one can survey, and no cast that hides what the types say.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const sources = [...new Bun.Glob("packages/*/src/**/*").scanSync({ cwd: root })];

const MOST_FILES = 15;

test(`no folder has more than ${MOST_FILES} files`, () => {
  const folders = Map.groupBy(sources, dirname);
  expect(folders.size).toBeGreaterThan(100);
  const crowded = [...folders]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([name, { length }]) => [name, length]);
  expect(crowded).toEqual([]);
});

test("no value is cast by way of unknown", () => {
  const product = sources.filter((path) => path.endsWith(".ts") && !/\.test(?:-support)?\.ts$/.test(path));
  const casts = product.filter((path) => readFileSync(join(root, path), "utf8").includes("as unknown as"));
  expect(casts).toEqual([]);
});
