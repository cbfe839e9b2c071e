// Compares the matcher with the `ignore` library, whose reading of .gitignore rules follow.

import { expect, test } from "bun:test";
import fc from "fast-check";
import ignore from "ignore";
import { compileLine, coversPath } from "./gitignore.ts";

const covers = (line: string, path: string, ignoreCase = false) => {
  const compiled = compileLine(line, { ignoreCase });
  return compiled !== undefined && coversPath(compiled, (ignoreCase ? path.toLowerCase() : path).split("/"));
};

test.each<[string, string, boolean]>([
  ["*.ts", "src/deep/a.ts", true],
  ["src/*.ts", "src/b/a.ts", false],
  ["a/**", "a", false],
  ["a/**", "a/b/c", true],
  ["a/**/b", "a/b", true],
  ["a/***/b", "a/x/y/b", true],
  ["docs/", "x/docs/y", true],
  ["docs/", "x/docs", false],
  ["/*", "a/b", true],
  ["[[:digit:]x]", "7", true],
  ["[!a-c]", "b", false],
  ["[]-]", "]", true],
  ["[a", "[a", false],
  ["a\\", "a\\", false],
  ["\\*", "x", false],
  ["a\\ ", "a ", true],
  ["a  ", "a", true],
  ["?.key", "😀.key", true],
  ["*😀", "a😀", true],
])("%j covers %j: %p", (line, path, expected) => {
  expect(covers(line, path)).toBe(expected);
});

test("agrees with the library on random lines and paths", () => {
  const sign = fc.constantFrom(..."aabAB**??//[]!-^\\. ".split(""), "**", "/**/", "**/", "[ab]", "[!a]", "[[:upper:]]");
  const name = fc.string({ unit: fc.constantFrom(..."abAB.]-[*"), minLength: 1, maxLength: 4 });
  const path = fc
    .array(name, { minLength: 1, maxLength: 5 })
    .filter((names) => !names.some((each) => each === "." || each === ".."));
  let matched = 0;
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1, maxLength: 8 }), path, fc.boolean(), (signs, names, ignoreCase) => {
      const line = signs.join("");
      // Negations and comments are handled elsewhere; in these few cases the library itself differs from git.
      fc.pre(!/^\s*$|^[!#]|^\\[!#]|\/\/|\\\/?$|\*\\\/|\\\/\*/.test(line));
      const expected = ignore({ ignorecase: ignoreCase }).add({ pattern: line }).ignores(names.join("/"));
      if (expected) matched++;
      expect([line, names, covers(line, names.join("/"), ignoreCase)]).toEqual([line, names, expected]);
    }),
    { numRuns: 4_000 },
  );
  expect(matched).toBeGreaterThan(200);
});
