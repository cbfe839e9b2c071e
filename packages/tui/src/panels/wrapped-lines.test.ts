import { expect, test } from "bun:test";
import { wrappedLines } from "./wrapped-lines.ts";

const TEXT = "Version:  1.0\nFolder:   /home/someone/a/long/path, branch main\nA sentence that is as long as others";

test.each<[number, string[]]>([
  [80, TEXT.split("\n")],
  [
    36,
    [
      "Version:  1.0",
      "Folder:   /home/someone/a/long/path,",
      "          branch main",
      "A sentence that is as long as others",
    ],
  ],
  [
    20,
    [
      "Version:  1.0",
      "Folder:",
      "  /home/someone/a/lo",
      "  ng/path, branch",
      "  main",
      "A sentence that is",
      "as long as others",
    ],
  ],
])("lines in %p columns continue below their value", (columns, rows) => {
  expect(wrappedLines(TEXT)(columns)).toEqual(rows);
});

test("the lines are the same ones until the width changes", () => {
  const lines = wrappedLines(TEXT);
  const before = lines(20);
  expect(lines(20)).toBe(before);
  expect(lines(21)).not.toBe(before);
});
