import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { diffOf } from "../diff/diff-of.test-support.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { colorTheme } from "./theme.test-support.ts";

const sizes = { from: 2000, to: 20_000 };
/** Ten times the text may cost ten times as much; quadratic work would cost a hundred times as much. */
const LINEAR = 40;

function filled(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length)).slice(0, size);
}

function streamed(text: string): void {
  const stream = new MarkdownStream();
  const step = Math.ceil(text.length / 20);
  for (let at = 0; at < text.length; at += step) {
    stream.push(text.slice(at, at + step));
    stream.take(80, colorTheme);
    stream.tail(80, colorTheme, 10);
  }
  stream.end();
  stream.take(80, colorTheme);
}

test.each([
  "word ",
  "line\n",
  "x",
  "é中👍",
  "**a ",
  "*a_b",
  "[a](",
  "[[a]",
  "``a` ",
  "<a",
  "> ",
  "- a\n",
  "|a|b|\n|-|-|\n",
  "    a\n\n",
  "\u001b[2J",
])("Markdown made of %j", (part) => {
  expect(growth((size) => streamed(filled(part, size)), sizes)).toBeLessThan(LINEAR);
});

test("texts that have nothing in common", () => {
  const lines = (count: number, step: number) =>
    Array.from({ length: count }, (_, at) => `${(at * step) % 7}\n`).join("");
  expect(growth((size) => diffOf(lines(size, 3), lines(size, 5)), sizes)).toBeLessThan(LINEAR);
});
