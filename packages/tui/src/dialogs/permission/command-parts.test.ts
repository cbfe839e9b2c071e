import { expect, test } from "bun:test";
import { commandParts, isCovered } from "./command-parts.ts";

test.each<[string, string[]]>([
  ["a && b || c; d | e", ["a", "b", "c", "d", "e"]],
  ["a\nb; c", ["a", "b", "c"]],
  ["a & b", ["a", "b"]],
  ["npm test 2>&1 | tail -n 3", ["npm test 2>&1", "tail -n 3"]],
  ["a &> x && b", ["a &> x", "b"]],
  ["echo 'a && b'; c", ["echo 'a && b'", "c"]],
  ['echo "a; \\" b"; c', ['echo "a; \\" b"', "c"]],
  ["echo a\\;b; c", ["echo a\\;b", "c"]],
  ["echo $HOME; c#d", ["echo $HOME", "c#d"]],
  // One part, or not plain.
  ["make", []],
  ["a\nb", []],
  ["a; $(b)", []],
  ["a; `b`", []],
  ['a; "$(b)"', []],
  ["a; (b)", []],
  ["a; 'b", []],
  ["a; cat <<E\nx\nE", []],
  ["a # b; c", []],
  ["for x in 1; do a; done", []],
  ["case x in a) b;; esac", []],
  ["a; $'b'", []],
])("%j has the parts %j", (command, parts) => {
  expect(commandParts(command)).toEqual(parts);
});

test.each<[string, string, boolean]>([
  ["npm test -- -w", "npm test *", true],
  ["npm test", "npm test *", true],
  ["npm tests", "npm test *", false],
  ["make all", "make all", true],
  ["make all x", "make all", false],
])("%j, rule %j: %j", (part, rule, covered) => {
  expect(isCovered(part, rule)).toBe(covered);
});
