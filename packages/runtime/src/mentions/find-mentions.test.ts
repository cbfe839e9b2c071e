import { expect, test } from "bun:test";
import { findMentions } from "./find-mentions.ts";

const paths = (text: string) => findMentions(text, 50).map(({ readings }) => readings.map(({ path }) => path));

test.each<[string, readonly (readonly string[])[]]>([
  ["sum up @src/a.ts", [["src/a.ts"]]],
  ["@a.ts and @b/", [["a.ts"], ["b/"]]],
  [
    "read (@a.ts), then @b.ts.",
    [
      ["a.ts),", "a.ts"],
      ["b.ts.", "b.ts"],
    ],
  ],
  ["line\n@./c.md\n@~/d @/etc/hosts @..", [["./c.md"], ["~/d"], ["/etc/hosts"], [".."]]],
  ["see @docs/guide.md#install", [["docs/guide.md#install", "docs/guide.md"]]],
  ['@"a file.txt" @"b c/"', [["a file.txt"], ["b c/"]]],
  ["mail a.b@c.org, x@y", []],
  ["@ alone, @", []],
  ["@a @a @b", [["a"], ["b"]]],
  [`@${"x".repeat(1_001)} @"open`, []],
])("findMentions(%j)", (text, expected) => {
  expect(paths(text)).toEqual(expected as string[][]);
});

test.each([
  ["@a.ts#L5", { path: "a.ts", lines: { first: 5, last: 5 } }],
  ["@a.ts#L1-20", { path: "a.ts", lines: { first: 1, last: 20 } }],
  ["@a.ts#L20-L3", { path: "a.ts", lines: { first: 3, last: 20 } }],
  ["@a.ts#L0", { path: "a.ts", lines: { first: 1, last: 1 } }],
  ['@"a b.ts"#L2-3', { path: "a b.ts", lines: { first: 2, last: 3 } }],
  ['@"a b.ts#L2"', { path: "a b.ts", lines: { first: 2, last: 2 } }],
  ["@#L2", { path: "#L2" }],
])("lines in %s", (text, expected) => {
  expect(findMentions(text, 50)[0]!.readings[0]).toEqual(expected);
});

test("lines are found before the end of a sentence too", () => {
  expect(findMentions("(see @a.ts#L3-4).", 50)[0]!.readings).toContainEqual({
    path: "a.ts",
    lines: { first: 3, last: 4 },
  });
});

test("a long text is searched in one pass, and only so many are returned", () => {
  const text = Array.from({ length: 100_000 }, (_, at) => `@m${at} ${"@".repeat(10)}`).join(" ");
  expect(findMentions(text, 50)).toHaveLength(50);
});
