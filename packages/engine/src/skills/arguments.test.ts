import { expect, test } from "bun:test";
import { fillText, splitArguments } from "./arguments.ts";

const RAW = 'alpha "beta gamma" delta';

function fill(text: string, raw = RAW, names: readonly string[] = []): string {
  return fillText(text, { raw, names, variables: { CLAUDE_SKILL_DIR: "/s", CLAUDE_SESSION_ID: "id" } });
}

test.each([
  ["a b", ["a", "b"]],
  ["  a\tb\n", ["a", "b"]],
  [RAW, ["alpha", "beta gamma", "delta"]],
  ["'a b' c", ["a b", "c"]],
  ["don't stop", ["don't", "stop"]],
  ['x"y z"', ["xy z"]],
  [String.raw`a\ b "c\"d"`, ["a b", 'c"d']],
  ['"" x', ["", "x"]],
  ['"open end', ["open end"]],
  ["", []],
])("splitArguments(%j)", (raw, words) => {
  expect(splitArguments(raw)).toEqual(words);
});

test.each([
  ["<$ARGUMENTS>", `<${RAW}>`],
  ["$0|$1|$2", "alpha|beta gamma|delta"],
  ["$ARGUMENTS[0] $ARGUMENTS[1]", "alpha beta gamma"],
  ["$1.50", "beta gamma.50"],
  [String.raw`\$1 and $0`, "$1 and alpha"],
  ["$3 $100 $0", "$3 $100 alpha"],
  ["$0x $0", "$0x alpha"],
  ["${CLAUDE_SKILL_DIR}/a ${CLAUDE_SESSION_ID} $0", "/s/a id alpha"],
  ["${CLAUDE_UNKNOWN} ${HOME} $0", "${CLAUDE_UNKNOWN} ${HOME} alpha"],
  ["${ARGUMENTS} {{args}} $@ $* $0", "${ARGUMENTS} {{args}} $@ $* alpha"],
])("%j is filled", (text, filled) => {
  expect(fill(text)).toBe(filled);
});

test("arguments without a place are added at the end", () => {
  expect(fill("Do it")).toBe(`Do it\n\nARGUMENTS: ${RAW}`);
  expect(fill("It costs $9", "now")).toBe("It costs $9\n\nARGUMENTS: now");
  expect(fill("Do it", "")).toBe("Do it");
  expect(fill("Do $ARGUMENTS", "")).toBe("Do ");
});

test("named arguments are filled in order, and a missing one is empty", () => {
  expect(fill("$first $second ${first}", "a", ["first", "second"])).toBe("a  ${first}");
  expect(fill("$one $oneself", "a b", ["one", "oneself"])).toBe("a b");
  expect(fill("$a.b!", "x y", ["a.b", "a"])).toBe("y.b!");
});

test("what an argument says is not filled again", () => {
  expect(fill("$0 $1", "$1 ${CLAUDE_SKILL_DIR}")).toBe("$1 ${CLAUDE_SKILL_DIR}");
});
