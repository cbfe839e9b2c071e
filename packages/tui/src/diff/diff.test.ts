import { expect, test } from "bun:test";
import fc from "fast-check";
import { colorTheme, namedTheme, plainTheme } from "../markdown/theme.test-support.ts";
import type { PatchHunk } from "@keelson/protocol";
import { diffOf } from "./diff-of.test-support.ts";
import { countChangedLines, renderDiff } from "./render-diff.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

test("the hunks turn the one text into the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 60 });
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (before, after, newline) => {
      const one = before.map((line) => `${line}\n`).join("");
      const other = after.map((line) => `${line}\n`).join("") + (newline ? "" : "end");
      expect(applied(one, diffOf(one, other))).toBe(other);
    }),
    { numRuns: 300 },
  );
});

test("a difference keeps what is far apart but unique, and gives up on what is neither", () => {
  const before = Array.from({ length: 4000 }, (_, at) => `only ${at}`);
  const after = before.flatMap((line, at) => (at % 2 === 0 ? [line] : [`new ${at}`, `more ${at}`]));
  expect(countChangedLines(diffOf(before.join("\n"), after.join("\n")))).toEqual({ added: 4000, removed: 2000 });

  const noise = (factor: number) => Array.from({ length: 20_000 }, (_, at) => String((at * factor) % 7)).join("\n");
  expect(applied(`${noise(3)}\n`, diffOf(`${noise(3)}\n`, `${noise(5)}\n`))).toBe(`${noise(5)}\n`);
});

const change = diffOf(
  'import { a } from "a";\n\nexport function run(value: string) {\n\treturn a(value);\n}\n',
  'import { a } from "a";\n\nexport function run(value: number, more: string) {\n\treturn a(value, more);\n}\n',
);

test.each([40, 80, 120])("a change at %i columns", (columns) => {
  expect(renderDiff({ path: "src/run.ts", hunks: change }, columns, plainTheme).join("\n")).toMatchSnapshot();
});

test("changed words are marked, unchanged code has its colors", () => {
  const hunks = diffOf("const a = 1;\nlet b = 2;\n", "const a = 1;\nlet b = 3;\n");
  expect(renderDiff({ path: "x.ts", hunks }, 16, namedTheme)).toEqual([
    "dim(1   )keyword(const) a = number(1);",
    "removed(2 - )removed(keyword(let))removed( b = )removed(removedWord(number(2)))removed(;)removed(  )",
    "added(2 + )added(keyword(let))added( b = )added(addedWord(number(3)))added(;)added(  )",
  ]);
});

test("unchanged lines between hunks are counted, and what does not fit is, too", () => {
  const before = numbered(40);
  const after = before.map((line, at) => (at === 2 || at === 30 ? `new ${at}` : line));
  const hunks = diffOf(before.join("\n"), after.join("\n"));
  expect(renderDiff({ path: "x.txt", hunks }, 40, plainTheme, { maxRows: 9 })).toEqual([
    " 1   line 1",
    " 2   line 2",
    " 3 - line 3",
    " 3 + new 2",
    " 4   line 4",
    " 5   line 5",
    " 6   line 6",
    "   ⋯ 21 unchanged lines",
    "   ⋯ 8 more lines",
  ]);
  expect(renderDiff({ path: "x.txt", hunks }, 40, plainTheme, { maxRows: 16 })).toHaveLength(16);
  expect(renderDiff({ path: "x.txt", hunks }, 40, plainTheme, { maxRows: 1 })).toEqual(["   ⋯ 15 more lines"]);
});

test("no row is wider than the columns, and nothing in it is obeyed", () => {
  const text = fc
    .array(fc.constantFrom("word ", "\t", "中文", "👩‍💻", "\u001b[2J", "\u202e", "x".repeat(50), "\n", "\r"), {
      maxLength: 30,
    })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, fc.constantFrom(10, 40, 120), (before, after, columns) => {
      for (const row of renderDiff({ path: "a.ts", hunks: diffOf(before, after) }, columns, colorTheme)) {
        expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
        // oxlint-disable-next-line no-control-regex
        expect(Bun.stripANSI(row)).not.toMatch(/[\u0000-\u001f\u202e]/);
        expect(row).not.toContain("\u001b[2J");
      }
    }),
    { numRuns: 500 },
  );
});

/** The text after a patch. */
function applied(text: string, hunks: readonly PatchHunk[]): string {
  const before = text.split("\n");
  if (before.at(-1) === "") before.pop();
  const after: string[] = [];
  let at = 0;
  let newline = true;
  for (const { oldStart, oldLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    while (at < start) after.push(before[at++]!);
    for (const line of lines) {
      if (line.startsWith("+")) after.push(line.slice(1));
      else if (line.startsWith("\\")) newline = false;
      else {
        expect(before[at]).toBe(line.slice(1));
        if (line.startsWith(" ")) after.push(before[at]!);
        at++;
      }
    }
  }
  while (at < before.length) after.push(before[at++]!);
  return after
    .map((line) => `${line}\n`)
    .join("")
    .slice(0, newline || after.length === 0 ? undefined : -1);
}
