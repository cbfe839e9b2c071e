import { expect, test } from "bun:test";
import { readPage } from "./markdown.ts";

const F = "```";

test.each([
  ["plain", "see @docs/a.md and @./b.md", ["docs/a.md", "./b.md"]],
  ["at home and absolute", "@~/x.md\n@/etc/y.md", ["~/x.md", "/etc/y.md"]],
  ["each once", "@a.md @a.md", ["a.md"]],
  ["an address is none", "mail a@b.com", []],
  ["a blank in a name", "@my\\ notes.md", ["my\\ notes.md"]],
  ["code span", "`@a.md` and ``x ` @b.md`` @c.md", ["c.md"]],
  ["a backtick that never closes", "it`s @a.md", ["a.md"]],
  ["a span over two lines", "`one\n@a.md` @b.md", ["b.md"]],
  ["no span across paragraphs", "`one\n\n@a.md` @b.md", ["a.md`", "b.md"]],
  ["fence", `${F}\n@a.md\n${F}\n@b.md`, ["b.md"]],
  ["fence with another inside", `${F}${F}\n${F}\n@a.md\n${F}${F}\n@b.md`, ["b.md"]],
  ["tilde fence that never closes", "~~~ts\n@a.md", []],
  ["fence in a list", `- ${F}\n  @a.md\n  ${F}\n- @b.md`, ["b.md"]],
  ["indented code", "text\n\n    @a.md\n\n@b.md", ["b.md"]],
  ["a list that goes on", "- one\n\n    @a.md", ["a.md"]],
  ["inline comment", "x <!-- @a.md --> @b.md", ["b.md"]],
  ["block comment", "<!--\n@a.md\n-->\n@b.md", ["b.md"]],
])("mentions: %s", (_, source, mentions) => {
  expect(readPage(source).mentions).toEqual(mentions);
});

test.each([
  ["on one line", "a\n<!-- note -->\nb", "a\nb"],
  ["on several", "a\n<!--\nnote\n\nmore -->\nb", "a\nb"],
  ["inline stays", "a <!-- note --> b", "a <!-- note --> b"],
  ["text behind it stays whole", "<!-- note --> b", "<!-- note --> b"],
  ["in a fence stays", `${F}html\n<!-- note -->\n${F}`, `${F}html\n<!-- note -->\n${F}`],
  ["never closed stays", "a\n<!-- note\nb", "a\n<!-- note\nb"],
  ["windows line ends", "a\r\n<!-- n -->\r\nb", "a\r\nb"],
])("block comments: %s", (_, source, text) => {
  expect(readPage(source).text).toBe(text);
});

test.each([
  ["comments that never end", "<!--\n".repeat(400_000)],
  ["comments with something behind the end", `${"<!--\n".repeat(400_000)}--> x @`],
  ["backticks of all lengths", Array.from({ length: 2_000 }, (_, at) => "`".repeat(at % 700)).join(" @a ")],
  ["blanks", `${" ".repeat(2_000_000)}@a.md`],
  ["signs", "@".repeat(2_000_000)],
  ["open comments in a line", `@a.md ${"<!-- ".repeat(400_000)}`],
  ["half fences", "> ".repeat(500_000) + "```x`"],
])("time grows with the text only: %s", (_, source) => {
  const started = performance.now();
  readPage(source);
  expect(performance.now() - started).toBeLessThan(1_500);
});
