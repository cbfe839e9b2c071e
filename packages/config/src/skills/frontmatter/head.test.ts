// The frontmatter reader: what each way of writing a value means, and what is reported.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { fieldJson } from "./field-values.ts";
import { readHead } from "./head.ts";

function read(source: string) {
  const { fields, problems, bodyAt, isOpen } = readHead(source);
  const values = Object.fromEntries([...fields].map(([key, node]) => [key, fieldJson(node)]));
  return { values, problems, body: source.slice(bodyAt), isOpen };
}

const page = (head: string) => `---\n${head}\n---\nBody\n`;

test.each<[string, string, Record<string, unknown>]>([
  ["plain values", "name: deploy\ndescription: Ships it", { name: "deploy", description: "Ships it" }],
  ["a colon in a value", "description: Use when: asked", { description: "Use when: asked" }],
  ["an address", "homepage: https://example.com:8080/x", { homepage: "https://example.com:8080/x" }],
  ["a value that begins with @", "description: @team tool", { description: "@team tool" }],
  ["a value that begins with a star or tag", "a: *x\nb: !y z\nc: &w\nd: %q", { a: "*x", b: "!y z", c: "&w", d: "%q" }],
  ["a backtick first", "description: `x` is run", { description: "`x` is run" }],
  ["brackets and more", "argument-hint: [a] [b]", { "argument-hint": "[a] [b]" }],
  ["brackets that are never closed", "argument-hint: [a", { "argument-hint": "[a" }],
  ["double quotes", 'a: "x: \\"y\\" \\n\\u0041" # note', { a: 'x: "y" \nA' }],
  ["single quotes", "a: 'it''s'", { a: "it's" }],
  ["quotes and more", 'a: "x" and "y"', { a: '"x" and "y"' }],
  ["quotes over lines and an empty one", "a: 'one # two\n\n  three\n  '\nb: c", { a: "one # two  three ", b: "c" }],
  ["text behind an empty line", "a: one\n\n  two\n\nb: c", { a: "one two", b: "c" }],
  ["quotes over lines", 'a: "one\n  two"\nb: c', { a: "one two", b: "c" }],
  ["quotes as programs break them", 'a: "one\\\n  \\ two, th\\\n  ree"\nb: c', { a: "one two, three", b: "c" }],
  ["a backslash before the end of a line", 'a: "one\\\\\n  two"', { a: "one\\ two" }],
  ["long escapes", 'a: "\\U0001F4CA \\UFFFFFFFF"', { a: "\u{1f4ca} UFFFFFFFF" }],
  ["quotes below their key", "a:\n  'one: two'\nb: c", { a: "one: two", b: "c" }],
  ["brackets below their key", 'a:\n  [\n    "x",\n    # note\n    y,\n  ]\nb: c', { a: ["x", "y"], b: "c" }],
  ["a placeholder", "a: {{NAME}}\nb: [scope: full|part]", { a: "{{NAME}}", b: ["scope: full|part"] }],
  ["typed words in capitals", "a: True\nb: FALSE\nc: [NULL]", { a: true, b: false, c: [null] }],
  [
    "typed words",
    "a: true\nb: 3\nc: 1.5\nd: null\ne:\nf: 'true'",
    { a: true, b: 3, c: 1.5, d: null, e: null, f: "true" },
  ],
  ["a block", "a: |\n  one\n    two\n\n  three\nb: c", { a: "one\n  two\n\nthree", b: "c" }],
  ["a folded block", "a: >-\n  one\n  two\n\n  three\nb: c", { a: "one two\nthree", b: "c" }],
  ["a block without indentation is empty", "a: |\nb: c", { a: "", b: "c" }],
  ["more lines of plain text", "a: one\n  two # note\n  three\nb: c", { a: "one two three", b: "c" }],
  ["text below its key", "a:\n  one\n  two\nb: c", { a: "one two", b: "c" }],
  ["a list with dashes", "a:\n  - x\n  - 'y'\n  # note\n\n  - z: 1\nb: c", { a: ["x", "y", { z: 1 }], b: "c" }],
  ["a list without indentation", "a:\n- x\n- Bash(git:*)\nb: c", { a: ["x", "Bash(git:*)"], b: "c" }],
  ["a list in brackets", 'a: [x, "y, z", Bash(a, b), *.{c,d}]', { a: ["x", "y, z", "Bash(a, b)", "*.{c,d}"] }],
  ["brackets over lines", "a: [\n  x,\n  y,\n]\nb: c", { a: ["x", "y"], b: "c" }],
  ["a map in braces", "a: {b: c, d: [1, 2], 'e': 'f'}", { a: { b: "c", d: [1, 2], e: "f" } }],
  ["empty list and map", "a: []\nb: {}", { a: [], b: {} }],
  ["a map", "metadata:\n  version: 1\n  tags:\n    - x\nname: y", { metadata: { version: 1, tags: ["x"] }, name: "y" }],
  [
    "hooks",
    "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./x.sh\n          timeout: 5\nname: y",
    {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./x.sh", timeout: 5 }] }] },
      name: "y",
    },
  ],
  ["keys in quotes", "\"name\": x\n'a b': y", { name: "x", "a b": "y" }],
  ["comments", "# first\na: b # note\n  # more\nc: d#e", { a: "b", c: "d#e" }],
  ["a tab after the colon", "a:\tb\nc: \t d", { a: "b", c: "d" }],
  ["tabs as indentation", "a:\n\t- x\n\t- y\nb: c", { a: ["x", "y"], b: "c" }],
  ["all keys indented", "  a: b\n  c: d", { a: "b", c: "d" }],
  ["Windows line ends", "a: b\r\nc: |\r\n  x\r\n  y\r\nd:\r\n  - e\r", { a: "b", c: "x\ny", d: ["e"] }],
  ["keys that objects have", "__proto__: x\nconstructor: y", { ["__proto__"]: "x", constructor: "y" }],
])("reads %s", (_, head, values) => {
  expect(read(page(head))).toEqual({ values, problems: [], body: "Body\n", isOpen: false });
});

test.each<[string, string, Record<string, unknown>, [number, string][]]>([
  [
    "the same key twice",
    "a: b\na: c",
    { a: "c" },
    [[3, "`a` appears twice and the last one is used; remove the other"]],
  ],
  [
    "no space after the colon",
    "name:x\ndescription: y",
    { name: "x", description: "y" },
    [[2, "put a space after `name:`"]],
  ],
  [
    "a line that is no key",
    "a: b\nwhat is this\nc: d",
    { a: "b", c: "d" },
    [[3, "this line is not `key: value`, so it has no effect; indent it if it belongs to the value above"]],
  ],
  [
    "a line among keys of a map",
    "a:\n  b: c\n  oops\n  d: e",
    { a: { b: "c", d: "e" } },
    [[4, "this line is not `key: value`, so it has no effect; indent it if it belongs to the value above"]],
  ],
  [
    "lines that are no keys, together",
    "description: one\n<example>\nsaid\n\n  more\nmodel: x\n<end>",
    { description: "one", model: "x" },
    [
      [3, "lines 3 to 6 are not `key: value`, so they have no effect; indent them if they belong to the value above"],
      [8, "this line is not `key: value`, so it has no effect; indent it if it belongs to the value above"],
    ],
  ],
  [
    "a line among the items of a list, which keeps the others",
    'a:\n  - x\n  "y"\n  - z\nb: c',
    { a: ["x", "z"], b: "c" },
    [[4, "this line is not `- item`, so it has no effect; put a dash before it"]],
  ],
  [
    "a quote that is never closed",
    'a: "b c\nd: e',
    { a: "b c", d: "e" },
    [[2, 'the quote " is never closed; close it, or remove it']],
  ],
])("reports %s", (_, head, values, problems) => {
  const { values: seen, problems: reported } = read(page(head));
  expect({ values: seen, problems: reported.map(({ line, why }) => [line, why]) }).toEqual({ values, problems });
});

test("text between two rules at the top is taken for frontmatter", () => {
  expect(read("---\nJust some words\nand more\n---\nBody\n")).toEqual({
    values: {},
    problems: [
      {
        line: 2,
        why: "the text between the two --- lines is taken for frontmatter and has no effect; remove the first one",
      },
    ],
    body: "Body\n",
    isOpen: false,
  });
});

test("without a closing ---, everything is text", () => {
  const source = "---\nname: x\n\n# Title\n";
  expect(read(source)).toEqual({
    values: {},
    problems: [{ line: 1, why: "the frontmatter has no closing ---, so all of it is text; add a line with ---" }],
    body: source,
    isOpen: true,
  });
});

test("after an empty line, it is text", () => {
  const source = "\n\n---\nname: x\n---\nBody";
  expect(read(source)).toEqual({
    values: {},
    problems: [{ line: 3, why: "the frontmatter is not at the start, so it is text; remove the empty lines above it" }],
    body: source,
    isOpen: false,
  });
});

test.each([
  ["no frontmatter", "# Title\n---\nx\n---\n", {}, "# Title\n---\nx\n---\n"],
  ["an empty file", "", {}, ""],
  ["empty frontmatter", "---\n---\nBody", {}, "Body"],
  ["a byte order mark", "\ufeff---\na: b\n---\nBody", { a: "b" }, "Body"],
  ["spaces after the fences", "--- \na: b\n---\t\r\nBody", { a: "b" }, "Body"],
  ["a longer line is no fence", "---\na: b\n----\nc: d\n---\nBody", { a: "b", c: "d" }, "Body"],
  ["nothing after the closing fence", "---\na: b\n---", { a: "b" }, ""],
  ["the text keeps its line ends", "---\r\na: b\r\n---\r\nOne\r\nTwo\r\n", { a: "b" }, "One\r\nTwo\r\n"],
])("%s", (_, source, values, body) => {
  const { values: seen, body: rest } = read(source);
  expect({ values: seen, body: rest }).toEqual({ values, body });
});

test("nesting is bounded", () => {
  const deep = Array.from({ length: 40 }, (_, at) => `${" ".repeat(at)}k${at}:`).join("\n");
  const { values, problems } = read(page(`${deep}\nname: x`));
  expect(values["name"]).toBe("x");
  expect(problems[0]?.why).toBe("this is nested more than 16 levels deep, so it has no effect");
  expect(read(page(`a: ${"[".repeat(100)}${"]".repeat(100)}`)).values["a"]).toBeString();
});

test("random bytes never make it fail", () => {
  const signs = [
    "-",
    "---",
    ":",
    ": ",
    " ",
    "  ",
    "\n",
    "\n",
    "\t",
    "\r\n",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "'",
    "|",
    ">",
    "#",
    "a",
    "\\",
    "é",
  ];
  let seed = 12345;
  const next = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  for (let round = 0; round < 3_000; round++) {
    const source = `---\n${Array.from({ length: next(60) }, () => signs[next(signs.length)]).join("")}\n---\nBody`;
    const { bodyAt, problems } = readHead(source);
    expect(bodyAt).toBeLessThanOrEqual(source.length);
    expect(problems.length).toBeLessThanOrEqual(20);
  }
});

test.each<[string, (size: number) => string]>([
  ["spaces", (size) => `---\na: b${" ".repeat(size)}c\n---\n`],
  ["quotes", (size) => `---\na: [${"'".repeat(size)}]\n---\n`],
  ["open quotes", (size) => `---\n${'a: "b\n'.repeat(size / 6)}---\n`],
  ["open brackets over lines", (size) => `---\n${"a: [\n b\n".repeat(size / 8)}---\n`],
  ["lists in lists", (size) => `---\na:\n${"- - - - -\n".repeat(size / 10)}---\n`],
  ["lines", (size) => `---\n${"a: b\n".repeat(size / 5)}---\n`],
  ["fences that are none", (size) => `---\n${"---x\n".repeat(size / 5)}`],
  ["empty lines", (size) => "\n".repeat(size)],
])("many %s cost no more than their length", (_, source) => {
  expect(growth((size) => readHead(source(size)), { from: 7_500, to: 60_000 })).toBeLessThan(30);
});
