import { expect, test } from "bun:test";
import type { Theme } from "../theme/theme.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { colorTheme, plainTheme } from "./theme.test-support.ts";

const show = (text: string, columns = 80, theme: Theme = plainTheme) => renderMarkdown(text, columns, theme);

test.each<[string, string, string[]]>([
  ["blocks are one empty row apart", "# A\ntext\n## B\n\n\n\ntext", ["A", "", "text", "", "B", "", "text"]],
  ["line breaks are kept", "Name: x\nAge: y", ["Name: x", "Age: y"]],
  ["underlined headings", "One\n===\nTwo\n---\na\nb\n---", ["One", "", "Two", "", "a", "b", "", "─".repeat(80)]],
  ["a hash without a space is text", "#tag and #1", ["#tag and #1"]],
  ["closed headings", "## A ##\n### B#\n#", ["A", "", "B#", "", ""]],
  ["a list below a paragraph stays with it", "These:\n- a\n- b", ["These:", "• a", "• b"]],
  ["loose lists stay loose", "- a\n\n- b", ["• a", "", "• b"]],
  ["numbers stay as they are", "3. a\n3) b\n10. c", ["3. a", "3) b", "10. c"]],
  ["a number inside a paragraph starts no list", "in\n1984. b", ["in", "1984. b"]],
  ["nested lists", "- a\n  - b\n    - c\n- d\n\t- e", ["• a", "  ◦ b", "    ▪ c", "• d", "  ◦ e"]],
  ["lists indented by two below a number", "1. a\n  - b\n2. c", ["1. a", "   • b", "2. c"]],
  ["indented lists are not nested", "  1. a\n  2. b", ["1. a", "2. b"]],
  ["task lists", "- [ ] a\n- [x] b\n1. [X] c\n- [y] d", ["☐ a", "☑ b", "1. ☑ c", "• [y] d"]],
  ["empty items", "-\n- a\n-\n  b\n\n- ", ["•", "• a", "• b", "", "•"]],
  ["paragraphs and code in items", "- a\n\n  b\n\n  ```\n  c\n  ```\n- d", ["• a", "", "  b", "", "    c", "• d"]],
  ["code in an item that is not indented", "1. a\n```js\nb\n```\n2. c", ["1. a", "", "  b", "", "2. c"]],
  ["code that loses its indent", "- ```\n  a\nb\n  ```\n- c", ["•   a", "    b", "• c"]],
  ["quotes", "> a\nlazy\n>\n> - b\n>> c", ["▎ a", "▎ lazy", "▎", "▎ • b", "▎ ▎ c"]],
  ["code in quotes", "> ```\n> a\n> ```\nb", ["▎   a", "", "b"]],
  ["fences", "~~~\n```\n~~~~\n````\n```\n````", ["  ```", "", "  ```"]],
  ["a fence that never ends", "```\na\n\nb", ["  a", "", "  b"]],
  ["an empty fence", "a\n\n```\n```\nb", ["a", "", "", "", "b"]],
  ["what a fence says beside a known language", "```ts title=a.ts\nb\n```", ["  ts title=a.ts", "  b"]],
  ["a path behind the language", "```ts:src/a.ts\nb\n```", ["  ts:src/a.ts", "  b"]],
  ["a language without colors is named", "```mermaid\na\n```", ["  mermaid", "  a"]],
  ["tabs and long lines in code", "```\n\ta\n```", ["      a"]],
  ["indented code", "    a\n\n      b\n\ntext\n    not code", ["  a", "", "    b", "", "text", "not code"]],
  [
    "HTML is text",
    "<div>\n  <b>x</b>\n</div>\n\n<!-- a\n\nb --> c",
    ["<div>", "  <b>x</b>", "</div>", "", "<!-- a", "", "b --> c"],
  ],
  ["definitions and footnotes are text", "[^1]: note\n\n[a]: https://b.c", ["[^1]: note", "", "[a]: https://b.c"]],
  ["rules", "***\n- - -\n___", ["─".repeat(80), "", "─".repeat(80), "", "─".repeat(80)]],
  ["escapes are shown", "\u001b[2J\u0007\u009b\u202e", ["␛[2J␇<009B><202E>"]],
  ["right-to-left and zero-width text stays", "שלום\u200b!", ["שלום\u200b!"]],
  ["nothing", "\n \n", []],
])("%s", (_, text, rows) => {
  expect(show(text)).toEqual(rows);
});

test.each<[string, string, number, string[]]>([
  ["words", "one two three", 7, ["one two", "three"]],
  ["long words", "a 12345678901 b", 5, ["a", "12345", "67890", "1 b"]],
  ["words of several styles", "a **bold**er x", 8, ["a bolder", "x"]],
  ["lists hang", "10. one two three", 9, ["10. one", "    two", "    three"]],
  ["ideographs", "中文字符，中文。", 7, ["中文字", "符，中", "文。"]],
  ["wide graphemes", "👩‍💻👩‍💻👩‍💻", 5, ["👩‍💻👩‍💻", "👩‍💻"]],
  ["characters of two code units", "㇀𝒂", 2, ["㇀", "𝒂"]],
  ["combining marks", "e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
  ["code keeps its spaces", "```\nab    cd\n```", 10, ["  ab    cd"]],
  ["code is broken anywhere", "```\nab    cde\n```", 10, ["  ab    cd", "  e"]],
])("wraps %s", (_, text, columns, rows) => {
  expect(show(text, columns)).toEqual(rows);
});

test("deep nesting leaves room for the text", () => {
  const text = Array.from({ length: 30 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n");
  const rows = show(text, 40);
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(40);
  for (let depth = 0; depth < 30; depth++) expect(rows.join(" ")).toContain(`level ${depth}`);
});

test("only ASCII signs where others cannot be shown", () => {
  const ascii = show("- a\n- [x] b\n> c\n\n---\n\n|a|b|\n|-|-|\n|1|2|\n", 20, { ...plainTheme, ascii: true });
  expect(ascii).toEqual([
    "- a",
    "[x] b",
    "",
    "| c",
    "",
    "--------------------",
    "",
    "+---+---+",
    "| a | b |",
    "+---+---+",
    "| 1 | 2 |",
    "+---+---+",
  ]);
});

const answer = `# What changed

The **parser** in \`src/parser.ts\` now reads [the format](https://example.com/format) line by line, so a file of any size fits.

1. Reading
   - no more *buffers*
   - ~~one~~ two passes
2. Writing

> Nothing else moved.

| File | Lines | Why |
| :--- | ---: | :-: |
| \`src/parser.ts\` | 120 | reads one line after the other and keeps nothing of it |
| \`src/writer.ts\` | 8 | 中文 |

\`\`\`ts
export function parse(text: string): Line[] {
  return text.split("\\n").map((line) => ({ text: line, length: line.length, kind: kindOf(line) }));
}
\`\`\`

- [x] tests
- [ ] docs
`;

test.each([40, 80, 120])("an answer at %i columns", (columns) => {
  expect(show(answer, columns).join("\n")).toMatchSnapshot();
});

test("each row closes what it opens", () => {
  const text = "**bold text that is long** and [a link that is long, too](https://example.com) `and code`";
  for (const row of show(text, 12, colorTheme)) {
    expect(row.split("\u001b[38").length).toBe(row.split("\u001b[39m").length);
    expect(row.split("\u001b]8;;").length % 2).toBe(1);
  }
});

test("tables: cells that are missing, too many, escaped, or have bars in code", () => {
  expect(show("a | b\n--|:-:\n| 1\n2 | 3 | 4\n`x|y` | z\n\\| | e<br>f\ntext")).toEqual([
    "┌─────┬───────┐",
    "│ a   │   b   │",
    "├─────┼───────┤",
    "│ 1   │       │",
    "├─────┼───────┤",
    "│ 2   │ 3 | 4 │",
    "├─────┼───────┤",
    "│ x|y │   z   │",
    "├─────┼───────┤",
    "│ |   │   e   │",
    "│     │   f   │",
    "└─────┴───────┘",
    "",
    "text",
  ]);
});

test("a line above a table is a paragraph; dashes alone make no table", () => {
  expect(show("Text\n|a|\n|-|\n")).toEqual(["Text", "", "┌───┐", "│ a │", "├───┤", "└───┘"]);
  expect(show("a | b\n---\nc")).toEqual(["a | b", "", "c"]);
});

test("a table without room for its longest words is a list", () => {
  expect(show("|Key|Value|\n|-|-|\n|a|one two three four|\n|b||\n", 18)).toEqual([
    "Key: a",
    "Value: one two",
    "  three four",
    "",
    "Key: b",
    "Value:",
  ]);
});
