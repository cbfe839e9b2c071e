// The expected values come from `git check-ignore`.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { compilePatterns, expandBraces } from "./path-patterns.ts";

const budget = () => ({ patterns: 1_000, characters: 4 * 1024 * 1024 });

test.each<[readonly string[], string, boolean]>([
  [["*.ts"], "a.ts", true],
  [["*.ts"], "src/deep/a.ts", true],
  [["*.ts"], "a.tsx", false],
  [["src/*.ts"], "src/a.ts", true],
  [["src/*.ts"], "src/b/a.ts", false],
  [["src/*.ts"], "x/src/a.ts", false],
  [["src/**/*.ts"], "src/a.ts", true],
  [["src/**/*.ts"], "src/b/c/a.ts", true],
  [["src/api/**"], "src/api/x/y.go", true],
  [["src/api/**"], "src/api", false],
  [["src/api"], "src/api/x", true],
  [["src/api/"], "src/api/x", true],
  [["src/api/"], "src/api", false],
  [["/a.md"], "a.md", true],
  [["/a.md"], "b/a.md", false],
  [["./src/*.ts"], "src/a.ts", true],
  [["docs"], "x/docs/y.md", true],
  [["**/test/**"], "test/a", true],
  [["**/test/**"], "x/test/y/a", true],
  [["*.md", "!README.md"], "README.md", false],
  [["*.md", "!README.md"], "x/a.md", true],
  [["src/", "!src/gen/"], "src/gen/a", true],
  [["src/*", "!src/gen"], "src/gen/a", false],
  [["a?c"], "abc", true],
  [["a?c"], "a/c", false],
  [["[ab].ts"], "b.ts", true],
  [["[!ab].ts"], "b.ts", false],
  [["foo**bar"], "fooxbar", true],
  [["foo**bar"], "foo/bar", false],
  [["app/(group)/*.tsx"], "app/(group)/page.tsx", true],
  [["+(a|b)"], "a", false],
  [["\\!a"], "!a", true],
  [["# no"], "# no", false],
  [["src/*.{ts,tsx}"], "src/a.tsx", true],
  [["{src,lib}/**/*.{a,b}"], "lib/x/y.b", true],
  [["{*.ts,src/x}"], "deep/a.ts", true],
  [["{*.ts,src/x}"], "deep/src/x", false],
  [["a{b}c"], "a{b}c", true],
])("%p covers %p: %p", (patterns, path, expected) => {
  expect(compilePatterns(patterns, budget())!.covers(path)).toBe(expected);
});

test.each([
  ["a.{ts,tsx}", ["a.ts", "a.tsx"]],
  ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
  ["{a,{b,c}d}", ["a", "bd", "cd"]],
  ["{a{b,c}", ["{ab", "{ac"]],
  ["{q {a,b} {c,d}", ["{q a c", "{q a d", "{q b c", "{q b d"]],
  ["a{}b{c}", ["a{}b{c}"]],
  ["\\{a,b}", ["\\{a,b}"]],
])("expandBraces(%p)", (pattern, expected) => {
  expect(expandBraces(pattern, budget())).toEqual(expected);
});

test("braces that expand to too many patterns are given up", () => {
  expect(expandBraces("{a,b}".repeat(40), budget())).toBeUndefined();
  expect(expandBraces(`{${"a,".repeat(30_000)}}`, budget())).toBeUndefined();
  expect(expandBraces(`{x,y}{x,y}{x,y}{x,y}${"z".repeat(1_000_000)}`, budget())).toBeUndefined();
});

test.each<[string, (size: number) => unknown]>([
  ["pairs", (size) => expandBraces("{a,b}".repeat(size / 1_000), budget())],
  ["choices", (size) => expandBraces(`{${"a,".repeat(size)}}`, budget())],
  ["text after braces", (size) => expandBraces(`{x,y}{x,y}{x,y}${"z".repeat(size)}`, budget())],
  ["unclosed braces", (size) => expandBraces("{".repeat(size), budget())],
])("the time to expand braces grows only with the text: %s", (_, work) => {
  expect(growth(work, { from: 15_000, to: 60_000 })).toBeLessThan(16);
});

test("the time to match grows only with the pattern and the path", () => {
  const work = (size: number) => {
    const patterns = compilePatterns(["*a".repeat(500), "**/a/".repeat(200)], budget())!;
    patterns.covers("a/".repeat(size));
  };
  expect(growth(work, { from: 50, to: 200 })).toBeLessThan(16);
  expect(compilePatterns(["**/a/".repeat(1_000)], budget())!.covers("a/".repeat(2_000))).toBe(false);
});
