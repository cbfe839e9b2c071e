import { expect, test } from "bun:test";
import fc from "fast-check";
import { MarkdownStream } from "./markdown-stream.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { colorTheme, plainTheme } from "./theme.test-support.ts";

const fragments = [
  "word",
  " ",
  "\n",
  "\n\n",
  "\r\n",
  "- item",
  "  - nested",
  "10. ten",
  "> quote",
  ">",
  "```ts\n",
  "```",
  "~~~",
  "    code",
  "| a | b |",
  "|---|:-:|",
  "# Heading",
  "---",
  "===",
  "**",
  "*",
  "_",
  "`",
  "~~",
  "[text](https://example.com)",
  "[",
  "](",
  "<div>",
  "<!--",
  "-->",
  "https://example.com/a",
  "\\",
  "\t",
  "中文",
  "👩‍💻",
  "\u001b[31m",
  "\u202e",
  "- [x] done",
  "a_b_c",
];
const markdown = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join(""));

test("any split into deltas gives the rows of the whole", () => {
  fc.assert(
    fc.property(
      markdown,
      fc.array(fc.nat(20), { maxLength: 30 }),
      fc.constantFrom(1, 7, 40, 80),
      (text, cuts, columns) => {
        const stream = new MarkdownStream();
        const rows: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          stream.push(text.slice(at, at + cut));
          at += cut;
          if (cut % 3 !== 0) rows.push(...stream.take(columns, colorTheme));
          if (cut % 2 !== 0) stream.tail(columns, colorTheme, 5);
        }
        stream.push(text.slice(at));
        stream.end();
        rows.push(...stream.take(columns, colorTheme));
        expect(rows).toEqual(renderMarkdown(text, columns, colorTheme));
        expect(stream.done).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test("no row is wider than the columns, and none contains what a terminal would obey", () => {
  fc.assert(
    fc.property(markdown, fc.constantFrom(2, 10, 40, 120), (text, columns) => {
      for (const row of renderMarkdown(text, columns, plainTheme)) {
        expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
        // oxlint-disable-next-line no-control-regex
        expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
    }),
    { numRuns: 300 },
  );
});

test("no letter is lost", () => {
  const more = ["alpha", "&lt;", '[x](y "z")', "<a@b.c>", "![k](l)", "\n> ", "1. ", "(", ")", "|", "{", "}", '"'];
  const parts = fc.array(fc.constantFrom(...fragments.filter((part) => !/\[x\]|```ts/.test(part)), ...more), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(parts, fc.constantFrom(12, 40, 120), (list, columns) => {
      const text = list.join("");
      const shown = letters(renderMarkdown(text, columns, plainTheme).join(""));
      // An entity stands for a sign, and in a link, the address of an image is not shown.
      for (const [letter, count] of letters(text.replaceAll("&lt;", "").replaceAll("(l)", "")))
        expect(shown.get(letter)).toBeGreaterThanOrEqual(count);
    }),
    { numRuns: 300 },
  );
});

function letters(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const letter of text.match(/\p{L}/gu) ?? []) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

test("a paragraph is tail only until it has ended", () => {
  const stream = new MarkdownStream();
  stream.push("One line\nand **ano");
  expect(stream.take(80, plainTheme)).toEqual([]);
  expect(stream.tail(80, plainTheme, 10)).toEqual(["One line", "and ano"]);
  stream.push("ther**\n\nNext");
  expect(stream.take(80, plainTheme)).toEqual(["One line", "and another"]);
  expect(stream.tail(80, plainTheme, 10)).toEqual(["", "Next"]);
  expect(stream.done).toBe(false);
  stream.end();
  expect(stream.tail(80, plainTheme, 10)).toEqual([]);
  expect(stream.take(80, plainTheme)).toEqual(["", "Next"]);
  expect(stream.take(80, plainTheme)).toEqual([]);
  expect(stream.done).toBe(true);
});

test("code gives its finished lines early, a list its finished items", () => {
  const stream = new MarkdownStream();
  stream.push("```ts\nconst a = 1;\nconst b");
  expect(stream.take(80, plainTheme)).toEqual(["  const a = 1;"]);
  expect(stream.tail(80, plainTheme, 10)).toEqual(["  const b"]);
  stream.push(" = 2;\n```\n- one\n- two\n- thr");
  expect(stream.take(80, plainTheme)).toEqual(["  const b = 2;", "", "• one"]);
  expect(stream.tail(80, plainTheme, 10)).toEqual(["• two", "• thr"]);
});

test("a table is held until it ends, and its tail is bounded", () => {
  const stream = new MarkdownStream();
  stream.push("| n | square |\n|---|---|\n");
  for (let at = 0; at < 100; at++) stream.push(`| ${at} | ${at * at} |\n`);
  expect(stream.take(80, plainTheme)).toEqual([]);
  expect(stream.tail(80, plainTheme, 3)).toEqual(["│ 98 │ 9604   │", "│ 99 │ 9801   │", "└────┴────────┘"]);
  stream.push("\n");
  expect(stream.take(80, plainTheme)).toHaveLength(104);
});

test("signs that may become anything are not shown yet", () => {
  for (const sign of ["-", "#", "##", "```", "1", "1.", "> ", "---", "**", "|"]) {
    const stream = new MarkdownStream();
    stream.push(`Text\n${sign}`);
    expect(stream.tail(80, plainTheme, 10)).toEqual(["Text"]);
  }
});

test("rows given out stay as they are when the width changes", () => {
  const stream = new MarkdownStream();
  stream.push("one two three\n\nfour five six\n\n");
  expect(stream.take(80, plainTheme)).toEqual(["one two three", "", "four five six"]);
  stream.push("seven eight nine\n\n");
  expect(stream.take(11, plainTheme)).toEqual(["", "seven eight", "nine"]);
});

test("the tail of a long paragraph shows its end and costs no more than what it shows", () => {
  const stream = new MarkdownStream();
  let text = "";
  for (let at = 0; at < 20_000; at++) {
    stream.push(`word${at} `);
    text += `word${at} `;
    if (at % 1000 === 999) {
      const rows = stream.tail(80, plainTheme, 5);
      expect(rows).toHaveLength(5);
      expect(text.trimEnd().replaceAll("\n", " ")).toEndWith(rows.join(" "));
    }
  }
  stream.end();
  expect(stream.take(80, plainTheme).join(" ")).toBe(text.trimEnd());
});

test("a surrogate pair and a line end may be cut in two", () => {
  const stream = new MarkdownStream();
  for (const unit of "a 👍 b\r\nc".split("")) stream.push(unit);
  stream.end();
  expect(stream.take(80, plainTheme)).toEqual(["a 👍 b", "c"]);
});
