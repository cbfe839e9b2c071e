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

test.each<[string, (size: number) => string, { from: number; to: number }]>([
  ["{a,b}{a,b}…", (size) => "{a,b}".repeat(size), { from: 40, to: 320 }],
  ["{a,a,…}", (size) => `{${"a,".repeat(size)}}`, { from: 10_000, to: 80_000 }],
  ["{x,y}… before a long name", (size) => "{x,y}".repeat(4) + "z".repeat(size), { from: 300_000, to: 2_400_000 }],
])("%s is more patterns than a rule may have, and costs no more than its length", (_, pattern, sizes) => {
  const expand = (size: number) => expandBraces(pattern(size), budget());
  expect(expand(sizes.from)).toBeUndefined();
  expect(growth(expand, sizes)).toBeLessThan(30);
});

test("braces that never close cost no more than their length", () => {
  const expand = (size: number) => expandBraces("{".repeat(size), budget());
  expect(growth(expand, { from: 10_000, to: 80_000 })).toBeLessThan(30);
});

test("matching costs no more than the pattern times the path", () => {
  const cover = (size: number) => {
    const patterns = compilePatterns(["*a".repeat(size), "**/a/".repeat(size)], budget())!;
    return patterns.covers("a/".repeat(size));
  };
  expect(growth(cover, { from: 25, to: 200 })).toBeLessThan(200);
  expect(compilePatterns(["a/".repeat(600)], budget())!.covers("a/".repeat(600))).toBe(false);
});
