import { expect, test } from "bun:test";
import { fillPlaceholders, splitArguments } from "./arguments.ts";

const RAW = 'alpha "beta gamma" delta';

function filled(text: string, raw = RAW, names: readonly string[] = []) {
  return fillPlaceholders(text, { raw, names, variables: { CLAUDE_SKILL_DIR: "/s", CLAUDE_SESSION_ID: "id" } });
}

const fill = (...given: Parameters<typeof filled>) => filled(...given).text;

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
])("%j is filled", (text, expected) => {
  expect(filled(text)).toEqual({ text: expected, used: true });
});

test("a text says whether it has a place for the arguments", () => {
  expect(filled("It costs $9, ${CLAUDE_SKILL_DIR}", "now")).toEqual({ text: "It costs $9, /s", used: false });
  expect(filled("Do $ARGUMENTS", "")).toEqual({ text: "Do ", used: true });
});

test("named arguments are filled in order, and a missing one is empty", () => {
  expect(fill("$first $second ${first}", "a", ["first", "second"])).toBe("a  ${first}");
  expect(fill("$one $oneself", "a b", ["one", "oneself"])).toBe("a b");
  expect(fill("$a.b!", "x y", ["a.b", "a"])).toBe("y.b!");
});

test("what an argument says is not filled again", () => {
  expect(fill("$0 $1", "$1 ${CLAUDE_SKILL_DIR}")).toBe("$1 ${CLAUDE_SKILL_DIR}");
});

test("placeholders do not make a text grow without end", () => {
  expect(() => filled("$ARGUMENTS ".repeat(90_000), "x".repeat(10_000))).toThrow("The arguments are too long");
});
