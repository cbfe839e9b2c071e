import { expect, test } from "bun:test";
import { lineChanges } from "./line-changes.ts";

const count = (before: string, after: string) => {
  const { insertions, deletions } = lineChanges(Buffer.from(before), Buffer.from(after));
  return [insertions, deletions];
};

const CASES: readonly [what: string, before: string, after: string, insertions: number, deletions: number][] = [
  ["nothing", "", "", 0, 0],
  ["the same", "a\nb\n", "a\nb\n", 0, 0],
  ["a new file", "", "a\nb\n", 2, 0],
  ["a removed file", "a\n", "", 0, 1],
  ["a changed line", "a\nb\nc\n", "a\nB\nc\n", 1, 1],
  ["a moved line", "a\nb\nc\n", "b\nc\na\n", 1, 1],
  ["a last line without its end", "a\nb", "a\nb\nc", 1, 0],
  ["everything", "a\nb\n", "c\n", 1, 2],
];

test.each(CASES)("lineChanges() counts %s", (_what, before, after, insertions, deletions) => {
  expect(count(before, after)).toEqual([insertions, deletions]);
});

test("lineChanges() estimates texts that have little in common", () => {
  const numbers = (from: number) => Array.from({ length: 20_000 }, (_unused, index) => `${from + index}\n`).join("");
  expect(count(numbers(0), numbers(100_000))).toEqual([20_000, 20_000]);
});

test("lineChanges() agrees with the longest common subsequence on small texts", () => {
  const random = (seed: number) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const next = random(7);
  for (let round = 0; round < 300; round++) {
    const text = () => Array.from({ length: Math.floor(next() * 9) }, () => "abc"[Math.floor(next() * 3)]!);
    const [a, b] = [text(), text()];
    const common = lcs(a, b);
    expect(count(a.map((it) => `${it}\n`).join(""), b.map((it) => `${it}\n`).join(""))).toEqual([
      b.length - common,
      a.length - common,
    ]);
  }
});

function lcs(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (a[0] === b[0]) return 1 + lcs(a.slice(1), b.slice(1));
  return Math.max(lcs(a.slice(1), b), lcs(a, b.slice(1)));
}
