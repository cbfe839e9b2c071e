import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { readFrontmatter } from "./frontmatter.ts";

const rule = (head: string) => `---\n${head}\n---\nBody\n`;

test.each([
  ["one pattern", "paths: src/**/*.ts", ["src/**/*.ts"]],
  ["quoted", 'paths: "src/**" # the source', ["src/**"]],
  ["single quotes", "paths: 'it''s/**'", ["it's/**"]],
  ["a star first", "paths: **/*.ts", ["**/*.ts"]],
  ["with commas, not those in braces", "paths: src/*.{ts,tsx}, lib/**", ["src/*.{ts,tsx}", "lib/**"]],
  [
    "a list",
    'description: x\npaths:\n  - "src/**"\n  - lib/*.js # mine\n  # more\n  - docs',
    ["src/**", "lib/*.js", "docs"],
  ],
  ["a list without indentation", "paths:\n- a\n- b\nother: 1", ["a", "b"]],
  ["a list in brackets", 'paths: ["src/**", lib/*.{a,b}]', ["src/**", "lib/*.{a,b}"]],
  ["brackets over lines", "paths: [\n  a,\n  b\n]", ["a", "b"]],
  ["none", "description: about", undefined],
  ["empty", "paths:", undefined],
  ["null", "paths: null", undefined],
  ["other keys of any form", "metadata:\n  type: x\n  list:\n    - y\npaths: a", ["a"]],
])("paths: %s", (_, head, paths) => {
  expect(readFrontmatter(rule(head))).toEqual({ kind: "read", body: "Body\n", ...(paths ? { paths } : {}) });
});

test.each([
  ["never closed", "---\npaths: a\nBody"],
  ["no key", rule("paths a")],
  ["a quote left open", rule('paths: "src/**')],
  ["a bracket left open", rule("paths: [a, b")],
  ["a mapping", rule("paths:\n  - a: b")],
  ["a text of several lines", rule("paths: |\n  a\n  b")],
  ["twice", rule("paths: a\npaths: b")],
  ["an item that is a YAML alias", rule("paths:\n  - **/*.ts")],
  ["an item that is a YAML alias, behind a good one", rule('paths:\n  - "src/**"\n  - *.ts')],
  ["an item that is a YAML tag", rule("paths:\n  - !src/**")],
  ["an item that is a YAML map", rule("paths:\n- {src,lib}/**")],
])("broken: %s", (_, source) => {
  expect(readFrontmatter(source).kind).toBe("broken");
});

test("a file with invalid frontmatter is loaded without it; unclosed frontmatter is text", () => {
  expect(readFrontmatter(rule("paths:\n  - **/*.ts"))).toEqual({
    kind: "broken",
    why: "its frontmatter is invalid (put quotes around **/*.ts)",
    body: "Body\n",
  });
  expect(readFrontmatter("---\npaths: a\nBody")).toMatchObject({ kind: "broken", body: "---\npaths: a\nBody" });
});

test("files without frontmatter have none, and both kinds of line breaks work", () => {
  expect(readFrontmatter("# Title\n---\n")).toEqual({ kind: "none" });
  expect(readFrontmatter("---\r\npaths: a\r\n---\r\nBody")).toEqual({ kind: "read", body: "Body", paths: ["a"] });
  expect(readFrontmatter("---\n---\n")).toEqual({ kind: "read", body: "" });
  expect(readFrontmatter("---\na: b\n---\n\n \n  Body\n")).toEqual({ kind: "read", body: "  Body\n" });
});

test.each<[string, (size: number) => string]>([
  ["spaces", (size) => `---\npaths: a${" ".repeat(size)}b\n---\n`],
  ["quotes", (size) => `---\npaths: [${"'".repeat(size)}]\n---\n`],
  ["lines", (size) => `---\n${"a: b\n".repeat(size)}---\n`],
])("frontmatter with many %s costs no more than its length", (_, source) => {
  expect(growth((size) => readFrontmatter(source(size)), { from: 7_500, to: 60_000 })).toBeLessThan(30);
});
