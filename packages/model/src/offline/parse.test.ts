import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { clausesOf } from "./clauses.ts";
import { parseClause, type OfflineStep } from "./parse.ts";

const parse = (prompt: string): OfflineStep[] => clausesOf(prompt).map(parseClause);

const ROWS: Record<string, OfflineStep> = {
  "list files": { kind: "list", pattern: "*" },
  "List the files in src": { kind: "list", pattern: "*", folder: "src" },
  "what files are here?": { kind: "list", pattern: "*" },
  "which files are here?": { kind: "list", pattern: "*" },
  "ls packages/model": { kind: "list", pattern: "*", folder: "packages/model" },
  "list all the ts files in src": { kind: "list", pattern: "**/*.ts", folder: "src" },
  "list *.md files": { kind: "list", pattern: "*.md" },
  "list the python files in src": { kind: "list", pattern: "**/*.py", folder: "src" },
  "find files named config.ts": { kind: "find", pattern: "**/config.ts" },
  "find all files matching `*.test.ts` in src": { kind: "find", pattern: "**/*.test.ts", folder: "src" },
  "find package.json": { kind: "find", pattern: "**/package.json" },
  "find files named util": { kind: "find", pattern: "**/*util*" },
  'search for "TODO" in src': { kind: "search", text: "TODO", where: "src" },
  'find "a then b" in all files': { kind: "search", text: "a then b" },
  "grep createServer": { kind: "search", text: "createServer" },
  "where is parseRule used?": { kind: "search", text: "parseRule" },
  "find all uses of jsonOf": { kind: "search", text: "jsonOf" },
  "read README.md": { kind: "read", path: "README.md" },
  "Please show me the contents of `my notes.txt`": { kind: "read", path: "my notes.txt" },
  "what is in package.json?": { kind: "read", path: "package.json" },
  "show lines 10-20 of src/main.ts": { kind: "read", path: "src/main.ts", from: 10, to: 20 },
  "read src/main.ts lines 3 to 1": { kind: "read", path: "src/main.ts", from: 1, to: 3 },
  "show the first 5 lines of a.txt": { kind: "read", path: "a.txt", from: 1, to: 5 },
  "read Makefile": { kind: "read", path: "Makefile" },
  "run `npm test`": { kind: "run", command: "npm test" },
  "run `npm test` and tell me the result": { kind: "run", command: "npm test" },
  "run: for f in a b; do echo $f; done; if true; then echo 'x'; fi": {
    kind: "run",
    command: "for f in a b; do echo $f; done; if true; then echo 'x'; fi",
  },
  "$ git status --short": { kind: "run", command: "git status --short" },
  "run npm test": { kind: "run", command: "npm test" },
  'create a file notes.txt with the content "hello"': { kind: "create", path: "notes.txt", content: "hello" },
  "create a file called src/a.ts containing:\n```ts\nlet a = 1; then\nlet b;\n```": {
    kind: "create",
    path: "src/a.ts",
    content: "let a = 1; then\nlet b;\n",
  },
  "create an empty file .keep": { kind: "create", path: ".keep", content: "" },
  'write "x = 1" to conf/app.ini': { kind: "create", path: "conf/app.ini", content: "x = 1" },
  "create hello.txt with content hello big world": { kind: "create", path: "hello.txt", content: "hello big world" },
  'append "more" to notes.txt': { kind: "append", path: "notes.txt", content: "more" },
  "add `z` to the end of the file a.txt": { kind: "append", path: "a.txt", content: "z" },
  'replace "old name" with "new name" in notes.txt': {
    kind: "replace",
    path: "notes.txt",
    from: "old name",
    to: "new name",
    all: false,
  },
  "replace all foo with bar in a.txt": { kind: "replace", path: "a.txt", from: "foo", to: "bar", all: true },
  "in src/a.ts, change `let` to `const` everywhere": {
    kind: "replace",
    path: "src/a.ts",
    from: "let",
    to: "const",
    all: true,
  },
  "summarise this repository": { kind: "summarise" },
  "Give me an overview of the project": { kind: "summarise" },
  "describe the structure of this repo": { kind: "summarise" },
  "what does this project do?": { kind: "summarise" },
  "hello there": { kind: "help" },
  "what can you do?": { kind: "help" },
  "run the tests": { kind: "unclear", source: "run the tests" },
  "refactor the parser to be faster": { kind: "unclear", source: "refactor the parser to be faster" },
  "read between the lines": { kind: "unclear", source: "read between the lines" },
};

for (const [prompt, step] of Object.entries(ROWS))
  test(`"${prompt}" is understood`, () => expect(parse(prompt)).toEqual([step]));

test("steps joined by then, semicolons or numbers come in order", () => {
  const expected: OfflineStep[] = [
    { kind: "read", path: "a.txt" },
    { kind: "run", command: "make; then x" },
    { kind: "list", pattern: "*" },
  ];
  expect(parse("read a.txt, then run `make; then x` and then list files")).toEqual(expected);
  expect(parse("Read a.txt. Then run `make; then x`; list files")).toEqual(expected);
  expect(parse("1. read a.txt\n2. run `make; then x`\n3) list files")).toEqual(expected);
});

test("marks in the prompt cannot stand for other words", () => {
  expect(parse("run `echo a` then read \u00010\u0002.txt")).toEqual([
    { kind: "run", command: "echo a" },
    { kind: "read", path: "0.txt" },
  ]);
});

test.each(["find ", "replace a with ", "in ", "then ", '"', "`", " ", "show the file ", "create a "])(
  "a long prompt of %p costs no more than its length",
  (piece) => {
    expect(growth((size) => parse(piece.repeat(size / piece.length)), { from: 12_500, to: 100_000 })).toBeLessThan(30);
  },
);
