// However a glob is written, matching it costs about pattern times path.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { compileGlob, matchDepths, matchesGlob } from "./glob.ts";

const glob = (pattern: string) => compileGlob(pattern.split("/"), { ignoreCase: false })!;

test("matchDepths() returns each depth at which the pattern is complete", () => {
  expect(matchDepths(glob("**/a"), ["a", "b", "a", "a"])).toEqual([1, 3, 4]);
  expect(matchDepths(glob("a/**"), ["a", "b", "c"])).toEqual([2, 3]);
  expect(matchDepths(glob("**/a/**/b"), ["a", "b", "a", "c", "b"])).toEqual([2, 5]);
  expect(matchDepths(glob("a/b"), ["a"])).toEqual([]);
  expect(compileGlob(["[a"], { ignoreCase: false })).toBe(undefined);
});

/** Each is small, but would keep a backtracking matcher busy almost forever. */
const hostile: readonly [string, (size: number) => [pattern: string, path: string]][] = [
  ["stars in a name", (size) => [`${"*a".repeat(size)}b`, "a".repeat(size * 4)]],
  ["stars around long pieces", (size) => [`*${"a".repeat(size)}b*${"a".repeat(size)}c*`, "a".repeat(size * 4)]],
  ["question marks", (size) => [`*${"?a".repeat(size)}b*`, "a".repeat(size * 4)]],
  ["folders of any depth", (size) => [`${"**/a/".repeat(size)}b`, `${"a/".repeat(size * 4)}c`]],
  ["stars in folders of any depth", (size) => [`${"**/*a*a*/".repeat(size)}b`, `${"aaaa/".repeat(size * 2)}c`]],
  ["brackets", (size) => [`${"*[a-z]".repeat(size)}!`, "a".repeat(size * 4)]],
];

test.each(hostile)("%s: the cost grows with the size, not with the number of ways to split it", (_, make) => {
  const match = (size: number) => {
    const [pattern, path] = make(size);
    expect(matchesGlob(glob(pattern), path.split("/"))).toBe(false);
  };
  expect(growth(match, { from: 100, to: 400 })).toBeLessThan(100);
});
