// The shape of the source tree: folders one can survey, and no cast that hides what the types say.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const sources = [...new Bun.Glob("packages/*/src/**/*").scanSync({ cwd: root })];

const MOST_FILES = 15;

test(`no folder of runtime, store or host has more than ${MOST_FILES} files`, () => {
  const folders = Map.groupBy(
    sources.filter((path) => /^packages\/(?:runtime|store|host)\//.test(path)),
    dirname,
  );
  expect(folders.size).toBeGreaterThan(10);
  const crowded = [...folders]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([name, { length }]) => [name, length]);
  expect(crowded).toEqual([]);
});

/** A double cast turns a value into anything at all. A check that earns the type is a type guard. */
const DOUBLE_CASTS: readonly string[] = [
  "packages/model/src/anthropic.ts",
  "packages/model/src/replay.ts",
  "packages/runtime/src/gate/ask.ts",
  "packages/runtime/src/session/life.ts",
  "packages/runtime/src/session/open.ts",
  "packages/runtime/src/stream/outbox.ts",
];

test("no value is cast by way of unknown, except where it is listed", () => {
  const product = sources.filter((path) => path.endsWith(".ts") && !/\.test(?:-support)?\.ts$/.test(path));
  const casts = product.filter((path) => readFileSync(join(root, path), "utf8").includes("as unknown as"));
  expect(casts.sort()).toEqual([...DOUBLE_CASTS]);
});
