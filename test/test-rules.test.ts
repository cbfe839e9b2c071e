// What every test in this repository keeps to.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const OWN = "test/test-rules.test.ts";
const files = ["{packages/*/src,test,bench,scripts}/**/*.{test,test-support,fuzz}.ts", "test/**/*.ts"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  .filter((path, at, all) => all.indexOf(path) === at && path !== OWN);

function linesWith(pattern: RegExp): string[] {
  return files.flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .flatMap((line, at) => (pattern.test(line) ? `${path}:${at + 1}: ${line.trim()}` : [])),
  );
}

test("a test that is skipped says why: it is registered with testUnless()", () => {
  const skips = linesWith(/\b(?:test|describe|it)\.(?:skip|skipIf|if|todo|todoIf|failing)\b/);
  expect(skips.filter((line) => !line.startsWith("scripts/testing/run-steps.test.ts:"))).toEqual([]);
});

test("no test runs alone", () => {
  expect(linesWith(/\b(?:test|describe|it)\.only\b/)).toEqual([]);
});

test("no test compares a time with a limit that a slow machine would break", () => {
  expect(linesWith(/expect\(.*\b(?:performance\.now|Date\.now|nanoseconds)\(.*\.to(?:Be)?(?:Less|Greater)/)).toEqual(
    [],
  );
});

test("no test has a limit of its own: all have that of scripts/bun.mjs", () => {
  expect(linesWith(/^\s*\}, [\d_]{4,}\);$|\bsetDefaultTimeout\b|^ {2,4}\d[\d_]{3,},$/)).toEqual([]);
});
