import { expect, test } from "bun:test";
import { exitMeaning, isSilent } from "./exit-meaning.ts";

test.each([
  ["grep x file", 1, "No matches found"],
  ["cat file | /usr/bin/grep -q 'a;b && c'", 1, "No matches found"],
  ["cd src && rg x 2>&1", 1, "No matches found"],
  ["LC_ALL=C grep x file", 1, "No matches found"],
  ["make; diff a b", 1, "Files differ"],
  ["false || test -f x", 1, "Condition is false"],
  ["[ -f x ]", 1, "Condition is false"],
  ["grep x file", 2, undefined],
  ["make && grep x log", 1, undefined],
  ["grep x file | sort", 1, undefined],
  ["grep x file; exit 1", 1, undefined],
  ["if true; then grep x y; fi", 1, undefined],
  ["(grep x y)", 1, undefined],
  ["make & grep x y", 1, "No matches found"],
  ['grep "$(make)" x', 1, undefined],
  ["grep 'unterminated", 1, undefined],
  ["false", 1, undefined],
  ["", 1, undefined],
] as const)("exitMeaning(%j, %i) is %p", (command, code, meaning) => {
  expect(exitMeaning(command, code)).toBe(meaning as string);
});

test("isSilent() is true only when every program is", () => {
  expect(["mkdir a && cp b c", "mkdir a; ls", "echo x", "", "rm $(ls)"].map(isSilent)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
