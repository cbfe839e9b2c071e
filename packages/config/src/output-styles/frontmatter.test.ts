import { expect, test } from "bun:test";
import { readStyleHead } from "./frontmatter.ts";

test.each([
  [
    "---\nname: A\ndescription: B\nkeep-coding-instructions: true\n---\n\nText\n",
    { name: "A", description: "B", keepsCoding: true, body: "Text" },
  ],
  [
    '---\r\nname: "A: b" # c\r\nkeep-coding-instructions: Yes\r\n---\r\nText\r\n',
    { name: "A: b", keepsCoding: true, body: "Text" },
  ],
  [
    "---\ndescription: >\n  one\n  two\nother: x\n---\nText",
    { description: "one two", keepsCoding: false, body: "Text" },
  ],
  ["---\nname: 'It''s'\nname-2\n- x\n---\nText", { name: "It's", keepsCoding: false, body: "Text" }],
  ["\ufeffText\n---\nmore", { keepsCoding: false, body: "Text\n---\nmore" }],
  ["---\nname: A\nno end", { keepsCoding: false, body: "---\nname: A\nno end" }],
  ["---\nname:\n---\n", { keepsCoding: false, body: "" }],
])("readStyleHead(%j)", (source, expected) => {
  expect(readStyleHead(source)).toEqual(expected);
});
