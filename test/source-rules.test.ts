// The shape of the source tree: folders one can survey, no module that only tests use or that keeps state, and no cast
// that hides what the types say.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const sources = [...new Bun.Glob("packages/*/src/**/*").scanSync({ cwd: root })];

const MOST_FILES = 15;

test(`no folder has more than ${MOST_FILES} files`, () => {
  const others = [...new Bun.Glob("{test,scripts,bench}/**/*").scanSync({ cwd: root })];
  const folders = Map.groupBy([...sources, ...others], dirname);
  expect(folders.size).toBeGreaterThan(100);
  const crowded = [...folders]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([name, { length }]) => [name, length]);
  expect(crowded).toEqual([]);
});

const read = (path: string) => readFileSync(join(root, path), "utf8");
const product = sources.filter((path) => path.endsWith(".ts") && !/\.test(?:-support)?\.ts$/.test(path));

test("no value is cast by way of unknown, and no field is read by a name cast to never", () => {
  expect(product.filter((path) => /\bas unknown as\b|" as never\]/.test(read(path)))).toEqual([]);
});

test("modules keep no state but memos, what servers accept, and what ends with the process", () => {
  const keeps = /^(?:export )?(?:let |const \w+ = new (?:Map|Set)(?:<.*>)?\(\))/m;
  const keeping = product.filter((path) => !path.startsWith("packages/testkit/") && keeps.test(read(path)));
  expect(keeping.toSorted()).toEqual([
    "packages/disk/src/lock/flock.ts",
    "packages/engine/src/permission/command/analysis/recent-analyses.ts",
    "packages/host/src/programs/compiler-threads.ts",
    "packages/model/src/openai/shared/habits.ts",
    "packages/sdk/src/process/at-exit.ts",
    "packages/tui/src/widgets/key-lookup.ts",
  ]);
});

test("standard output and standard error are written in one place, which keeps what a terminal obeys from a terminal", () => {
  const writes = /\bconsole\.\w+\(|\bprocess\.std(?:out|err)\b|\bBun\.std(?:out|err)\b|\bwriteSync\([12],/;
  const data = /^packages\/(?:testkit\/|engine\/src\/permission\/verdicts\/tables\/)/;
  const writing = product.filter((path) => !data.test(path) && writes.test(read(path)));
  expect(writing.toSorted()).toEqual([
    "packages/cli/src/bin.ts", // the version
    "packages/cli/src/process/this-process.ts",
    "packages/runtime/src/observe/telemetry/send.ts", // JSON in ASCII
    "packages/runtime/src/optional-tools/make-tools.ts", // rings the bell
  ]);
});

test("every module is part of the program or of what a package exports, or is named as one for tests", () => {
  const known = new Set(sources);
  const reached = new Set(["packages/cli/src/bin.ts"]);
  for (const path of new Bun.Glob("packages/*/package.json").scanSync({ cwd: root }))
    for (const [file] of read(path).matchAll(/(?<="\.\/)src\/[\w./-]+\.ts(?=")/g))
      reached.add(join(dirname(path), file));
  // A set also visits what is added on the way.
  for (const path of reached)
    for (const [file] of read(path).matchAll(/(?<=["'`])\.{1,2}\/[^"'`\s]+\.ts(?=["'`])/g)) {
      const target = join(dirname(path), file);
      if (known.has(target)) reached.add(target);
    }
  expect(reached.size).toBeGreaterThan(1_000);
  const tables = /^packages\/engine\/src\/permission\/verdicts\/tables\/|^packages\/testkit\//;
  expect(product.filter((path) => !reached.has(path) && !tables.test(path))).toEqual([]);
});
