// Compares the matcher with the built-in engine on small patterns; then patterns that only this one survives.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import fc from "fast-check";
import { compileRegex } from "./regex.ts";

test.each<[string, string, boolean]>([
  ["^Bas", "Bash", true],
  ["^(Edit|Write)$", "NotebookEdit", false],
  ["^(?!Bash$).*", "Bash", false],
  ["^(?!Bash$).*", "BashOutput", true],
  ["mcp__(?!github)\\w+__get", "mcp__github__get", false],
  ["(?<!mcp__)read$", "mcp__read", false],
  ["(?<=mcp__)read$", "mcp__read", true],
  ["^(?=.*\\d)(?=.*[a-z]).{4,}$", "abc1", true],
  ["^(?=.*\\d)(?=.*[a-z]).{4,}$", "abcd", false],
  ["^(?<year>\\d{4})-(?<month>\\d{2})$", "2026-11", true],
  ["a{2,3}b", "aab", true],
  ["^a{2,3}$", "aaaa", false],
  ["x{,3}", "x{,3}", true],
  ["\\bfoo\\B", "a foot", true],
  ["[\\]\\w]+$", "a]", true],
  ["\\cJ|\\x41|\\u0042", "B", true],
  ["", "", true],
  ["(?:)*", "", true],
])("%p on %p: %p", (source, text, expected) => {
  expect(compileRegex(source)!.test(text)).toBe(expected);
  expect(new RegExp(source).test(text)).toBe(expected);
});

test("unicode patterns see whole characters", () => {
  expect(compileRegex("^.$", { unicode: true })!.test("😀")).toBe(true);
  expect(compileRegex("^.$")!.test("😀")).toBe(false);
  expect(compileRegex("^\\p{Lu}\\u{61}[^b]$", { unicode: true })!.test("Éa😀")).toBe(true);
  expect(compileRegex("^\\ud83d\\ude00$", { unicode: true })!.test("😀")).toBe(true);
});

test("agrees with the built-in engine on random patterns", () => {
  const sign = fc.constantFrom(
    ..."ab(|)*+?{}[]^$\\.-1,".split(""),
    ..."(?: (?= (?! (?<= (?<! (?<n> {2} {1,2} {0,} [ab] [^a] \\w \\W \\b \\B .* a+ ) )* )".split(" "),
  );
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(sign, { minLength: 1, maxLength: 9 }),
      fc.string({ unit: fc.constantFrom(..."ab-\n1"), maxLength: 7 }),
      (signs, text) => {
        const source = signs.join("");
        let native: RegExp | undefined;
        try {
          native = new RegExp(source);
        } catch {
          native = undefined;
        }
        const ours = compileRegex(source);
        expect([source, ours === undefined]).toEqual([source, native === undefined]);
        if (native === undefined || !ours!.isReadable) return;
        compared++;
        expect([source, text, ours!.test(text)]).toEqual([source, text, native.test(text)]);
      },
    ),
    { numRuns: 4_000 },
  );
  expect(compared).toBeGreaterThan(600);
});

test("a pattern with a back reference, or one that is too large, has no answer", () => {
  for (const source of ["(a+)\\1", "(?<n>a)\\k<n>", "(a{200}){200}", `${"(".repeat(300)}a${")".repeat(300)}`]) {
    const regex = compileRegex(source)!;
    expect([source, regex.isReadable, regex.test("aa")]).toEqual([source, false, undefined]);
  }
  expect(compileRegex("a{5000}")!.test("a".repeat(10_000))).toBe(undefined);
  expect(compileRegex("(")).toBe(undefined);
});

/** Each keeps a backtracking engine busy almost forever. */
test.each([
  "^(a+)+$",
  "^(a|a)*$",
  "(a*)*b",
  "(?:a|ab)*c",
  "((a?){30})b",
  "(.*a){20}b",
  ".*.*.*.*.*.*x",
  "^(?=(a+)+b)",
  "(?<!(a|aa)+c)d",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
])("%s: the cost grows with the text, not with the number of ways to split it", (source) => {
  const regex = compileRegex(source)!;
  const match = (length: number) => expect(regex.test(`${"a".repeat(length)}!`)).toBe(false);
  expect(growth(match, { from: 1_000, to: 4_000 })).toBeLessThan(100);
});
