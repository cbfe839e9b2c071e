import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
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
  ["no span across a block comment", "`one\n<!-- x -->\n\n@a.md` @b.md", ["a.md`", "b.md"]],
  ["bold", "**@a.md**", ["a.md"]],
  ["italics of both kinds, and struck out", "*@a.md* _@b.md_ ~~@c.md~~ ***@d.md***", ["a.md", "b.md", "c.md", "d.md"]],
  ["bold with more in it", "**@a.md and more** then", ["a.md"]],
  ["bold in brackets", "(**@a.md**)", ["a.md"]],
  ["bold in a list", "- **@a.md**: style", ["a.md"]],
  ["a name with the letters of emphasis in it", "_@my_notes_", ["my"]],
  ["a name that ends in one", "@notes_", ["notes_"]],
  ["emphasis that never ends", "**@a.md is here", []],
  ["no emphasis in a word", "foo**@a.md** me_@b.md_", []],
  ["brackets and quotes are none", `(@a.md) "@b.md" [@c.md] <@d.md>`, []],
  ["a list, a heading, a quote, a table", "- @a.md\n# @b.md\n> @c.md\n| @d.md |", ["a.md", "b.md", "c.md", "d.md"]],
  ["behind a comment that begins the line", "<!-- x --> @a.md", ["a.md"]],
  ["bold in a code span", "`**@a.md**`", []],
])("mentions: %s", (_, source, mentions) => {
  expect(readPage(source).mentions).toEqual(mentions);
});

test.each([
  ["on one line", "a\n<!-- note -->\nb", "a\nb"],
  ["with the empty lines behind it", "a\n\n<!-- note -->\n\n\nb", "a\n\nb"],
  ["not with those behind its text", "<!-- note --> a\n\nb", "a\n\nb"],
  ["a tag behind it begins a block", "<!-- x -->\n\n<b>\n<!-- y -->", "<b>\n<!-- y -->"],
  ["code behind it is code", "<!-- x -->\n\n    <!-- y -->\n", "    <!-- y -->\n"],
  ["on several", "a\n<!--\nnote\n\nmore -->\nb", "a\nb"],
  ["inline stays", "a <!-- note --> b", "a <!-- note --> b"],
  ["text behind it stays", "<!-- note --> b", "b"],
  ["text behind one of several lines stays", "a\n<!-- note\nmore --> b\nc", "a\nb\nc"],
  ["several on a line", "<!-- x --> b <!-- y --> c <!-- open", "b  c <!-- open"],
  ["indented a little", "a\n\n   <!-- note --> b", "a\n\nb"],
  ["as code stays", "a\n\n    <!-- note --> b", "a\n\n    <!-- note --> b"],
  ["in a list item stays", "- a\n  <!-- note -->\n  b", "- a\n  <!-- note -->\n  b"],
  ["as a list item stays", "- <!-- note -->\n1. <!-- note -->", "- <!-- note -->\n1. <!-- note -->"],
  ["in an item after an empty line stays", "1. a\n\n   <!-- note -->\n", "1. a\n\n   <!-- note -->\n"],
  ["behind a list goes", "- a\n<!-- note -->\n- b", "- a\n- b"],
  ["behind a list that has ended goes", "- a\n\ntext\n\n  <!-- note -->\nb", "- a\n\ntext\n\nb"],
  ["below a tag stays", "<div>\n<!-- note -->\n</div>", "<div>\n<!-- note -->\n</div>"],
  ["below any tag alone on its line stays", "<rules>\n<!-- note -->\n</rules>", "<rules>\n<!-- note -->\n</rules>"],
  ["below a tag and an empty line goes", "<div>\n\n<!-- note -->\n</div>", "<div>\n\n</div>"],
  ["in a script stays", "<script>\n\n<!-- x -->\n</script>\n<!-- y -->", "<script>\n\n<!-- x -->\n</script>"],
  ["below a tag within a line goes", "a <b>\n<!-- note -->\nc", "a <b>\nc"],
  ["in a quote stays", "> <!-- note -->", "> <!-- note -->"],
  ["in a fence stays", `${F}html\n<!-- note -->\n${F}`, `${F}html\n<!-- note -->\n${F}`],
  ["never closed stays", "a\n<!-- note\nb", "a\n<!-- note\nb"],
  ["windows line ends", "a\r\n<!-- n -->\r\nb", "a\r\nb"],
  [
    "indented behind text, it stays",
    "One\n  <!-- x -->\n> Two\n  <!-- y -->\nend",
    "One\n  <!-- x -->\n> Two\n  <!-- y -->\nend",
  ],
  [
    "indented behind a heading, a rule and a fence",
    "# A\n  <!-- x -->\nB\n===\n <!-- y -->\n***\n <!-- z -->\n```\n```\n <!-- f -->\nend",
    "# A\nB\n===\n***\n```\n```\nend",
  ],
])("block comments: %s", (_, source, text) => {
  expect(readPage(source).text).toBe(text);
});

test.each<[string, (size: number) => string]>([
  ["comments that never end", (size) => "<!--\n".repeat(size)],
  ["comments with something behind the end", (size) => `${"<!--\n".repeat(size)}--> x @`],
  [
    "backticks of all lengths",
    (size) => Array.from({ length: size / 100 }, (_, at) => "`".repeat(at % 700)).join(" @a "),
  ],
  ["blanks", (size) => `${" ".repeat(size)}@a.md`],
  ["signs", (size) => "@".repeat(size)],
  ["emphasis that never ends", (size) => "**@a ".repeat(size) + "_@b ".repeat(size)],
  ["open comments in a line", (size) => `@a.md ${"<!-- ".repeat(size)}`],
  ["half fences", (size) => "> ".repeat(size) + "```x`"],
  ["lists and tags", (size) => "- <b>\n  <!-- x\n".repeat(size)],
])("time grows with the text only: %s", (_, source) => {
  expect(growth((size) => readPage(source(size)), { from: 20_000, to: 80_000 })).toBeLessThan(16);
});
