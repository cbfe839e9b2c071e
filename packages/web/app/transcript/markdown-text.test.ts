import { expect, test } from "bun:test";
import fc from "fast-check";
import { LIMITS, type PieceLimits } from "./markdown-blocks.ts";
import { MarkdownText } from "./markdown-text.ts";

const PARTS = [
  "A paragraph.",
  "with `code` and **bold",
  "**",
  "\n",
  "\n\n",
  "- item",
  "\n- item\n",
  "\n  - inner\n",
  "\n\n  more of it\n",
  "1. one\n2. two",
  "\n1. same\n1. same\n",
  "\n- item and item\n- item and item\n- item and item",
  "more words than there is room for in one line, ",
  "# Heading\n",
  "Title\n---\n",
  "===\n",
  "```ts\nconst a = 1;\n",
  "```\n",
  "~~~",
  "> quote\n",
  "| a | b |\n|---|---|\n",
  "| 1 | 2 |\n",
  "<b>html</b>",
  "<div>\n\n",
  "    indented\n",
  "\t",
  "\r\n",
  "[x]: https://example.org\n",
  "[x]",
  "***\n",
  "é😀",
  "\u0000",
];

/** So that even short texts are cut. */
const SHORT: PieceLimits = { long: 30, hard: 70, code: 60, line: 50, word: 15 };

const rawOf = ({ sections }: MarkdownText) =>
  sections
    .flat()
    .map(({ raw }) => raw)
    .join("");

const drawn = ({ sections }: MarkdownText) => sections.map((blocks) => blocks.map(({ raw, rest }) => ({ raw, rest })));

const oneShot = (text: string, limits: PieceLimits) => {
  const whole = new MarkdownText(limits);
  whole.push(text);
  whole.end();
  whole.read();
  return drawn(whole);
};

test("an answer that came in parts, drawn at any time, is drawn like one that came at once", () => {
  const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
      fc.integer({ min: 2, max: 300 }),
      fc.constantFrom(LIMITS, SHORT),
      (text, cuts, most, limits) => {
        const growing = new MarkdownText(limits);
        let at = 0;
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          growing.push(text.slice(at, cut));
          at = Math.max(at, cut);
          growing.read(most);
          void growing.sections;
        }
        growing.push(text.slice(at));
        growing.end();
        while (!growing.isRead) {
          growing.read(most);
          void growing.sections;
        }
        expect(drawn(growing)).toEqual(oneShot(text, limits));
        expect(growing.whole()).toBe(text);
        expect(rawOf(growing)).toBe(text.replaceAll(/\r\n?/g, "\n"));
      },
    ),
    { numRuns: 10_000 },
  );
});

test("a section that is full stays the same value", () => {
  const growing = new MarkdownText();
  const add = (text: string) => {
    growing.push(text);
    growing.read();
    return growing.sections;
  };
  for (let at = 0; at < 135; at++) add(`Paragraph ${at}.\n\n`);
  const before = growing.sections;
  const after = add("The last one.");
  expect(after.map(({ length }) => length)).toEqual([40, 40, 40, 16]);
  expect(after.slice(0, 2).map((section, at) => section === before[at])).toEqual([true, true]);
});

test("no more is taken in at once than is asked for, and no character is cut in two", () => {
  const text = new MarkdownText();
  text.push("ab😀cd");
  expect([text.read(3), text.read(2), text.isRead, text.read(9), text.isRead]).toEqual([2, 2, false, 2, true]);
  expect(text.whole()).toBe("ab😀cd");
});
