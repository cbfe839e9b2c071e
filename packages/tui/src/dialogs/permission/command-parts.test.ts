import { expect, test } from "bun:test";
import { commandParts, destructiveWords, isCovered } from "./command-parts.ts";

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

test.each<[string, string[]]>([
  ["make && rm -rf build; git push -f", ["-rf", "-f"]],
  ["sudo rm -r x", ["-r"]],
  ["A=1 timeout 5 git reset '--hard'", ["'--hard'"]],
  ["echo 'rm -rf x'", []],
  ["bash -c 'x'; (rm -fr y)", ["-fr"]],
  ['git commit -m "rm -rf; git push -f"', []],
  ["rm x", []],
])("%j destroys by %j", (command, words) => {
  expect(destructiveWords(command).map(({ start, end }) => command.slice(start, end))).toEqual(words);
});
